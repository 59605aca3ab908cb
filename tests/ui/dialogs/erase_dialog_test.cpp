// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/dialogs/erase_dialog.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support_ui/sample_devices.h"
#include "ui/controls/buttons.h"
#include "ui/devices/device_model.h"
#include "ui/pictures/before_after.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

ChosenDevice chosen(const DevicePtr& device) {
  ChosenDevice chosen;
  chosen.path = device->disk.node;
  chosen.disk = device->disk;
  chosen.id = device->disk.id;
  chosen.usage = device->usage;
  chosen.identity.number = device->disk.number;
  chosen.identity.size = device->disk.size;
  return chosen;
}

// A dialog over the sample's devices.
struct Opened {
  DeviceModel devices;
  EraseDialog dialog;
  int accepted = 0, rejected = 0;

  explicit Opened(const DevicePtr& device)
      : dialog((devices.set_devices({device}), chosen(device)),
               {.name = u"win11.qcow2"_s, .detail = u"64.4 GB"_s, .size = 30'424'509'440}, devices, nullptr) {
    QObject::connect(&dialog, &QDialog::accepted, [this] { ++accepted; });
    QObject::connect(&dialog, &QDialog::rejected, [this] { ++rejected; });
    dialog.show();
    dialog.activateWindow();
  }
  DangerButton& danger() { return *dialog.findChild<DangerButton*>(); }
  QLineEdit* typed() { return dialog.findChild<QLineEdit*>(); }
};

}  // namespace

class EraseDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cancelIsTheDefault() {
    Opened opened(samples::blank_card());
    QList<QPushButton*> defaults;
    for (QPushButton* button : opened.dialog.findChildren<QPushButton*>())
      if (button->isDefault()) defaults << button;
    QCOMPARE(defaults.size(), 1);
    QCOMPARE(defaults.first()->text(), u"Cancel"_s);
    QVERIFY(!opened.danger().autoDefault());
  }
  void theButtonSaysTheAmount() {
    Opened opened(samples::blank_card());
    QCOMPARE(opened.danger().text(), u"Overwrite 32.0\u00a0GB"_s);
  }
  void enterNeverGoesOn_data() {
    QTest::addColumn<int>("key");
    QTest::newRow("return") << int(Qt::Key_Return);
    QTest::newRow("enter") << int(Qt::Key_Enter);
  }
  void enterNeverGoesOn() {
    QFETCH(int, key);
    {
      Opened opened(samples::blank_card());
      QVERIFY(opened.danger().isEnabled());
      opened.danger().setFocus();
      QTest::keyClick(&opened.danger(), static_cast<Qt::Key>(key));
      QCOMPARE(opened.accepted, 0);
    }
    Opened opened(samples::free_disk());
    opened.typed()->setText(EraseDialog::to_be_typed(samples::free_disk()->disk));
    QVERIFY(opened.danger().isEnabled());
    QTest::keyClick(opened.typed(), static_cast<Qt::Key>(key));
    QCOMPARE(opened.accepted, 0);
  }
  void escapeCancels() {
    Opened opened(samples::blank_card());
    QTest::keyClick(&opened.dialog, Qt::Key_Escape);
    QCOMPARE(opened.rejected, 1);
    QCOMPARE(opened.accepted, 0);
  }
  void aSmallCardNeedsOnlyAClick() {
    Opened opened(samples::blank_card());
    QVERIFY(!opened.typed());
    QTest::mouseClick(&opened.danger(), Qt::LeftButton);
    QCOMPARE(opened.accepted, 1);
  }
  void aLargeDiskWithContentIsTyped() {
    Opened opened(samples::free_disk());
    QVERIFY(opened.typed());
    QVERIFY(!opened.danger().isEnabled());
    QVERIFY(opened.typed()->text().isEmpty());
    QVERIFY(opened.typed()->placeholderText().isEmpty());  // what has to be typed is not there to be copied
    opened.typed()->setText(u"0000"_s);
    QVERIFY(!opened.danger().isEnabled());
    opened.typed()->setText(u"4f2a"_s);
    QVERIFY(opened.danger().isEnabled());
    QTest::mouseClick(&opened.danger(), Qt::LeftButton);
    QCOMPARE(opened.accepted, 1);
  }
  void unpluggedTakesTheYesAway() {
    Opened opened(samples::free_disk());
    opened.typed()->setText(u"4F2A"_s);
    QVERIFY(opened.danger().isEnabled());
    opened.devices.set_devices({});
    QVERIFY(!opened.danger().isEnabled());
    // The same model in the same place is another device until it was chosen again.
    opened.devices.set_devices({samples::free_disk()});
    QVERIFY(!opened.danger().isEnabled());
    QTest::mouseClick(&opened.danger(), Qt::LeftButton);
    QCOMPARE(opened.accepted, 0);
  }
  void anotherMediumInTheSameReaderTakesTheYesAway() {
    Opened opened(samples::blank_card());
    auto other = std::make_shared<Device>(*samples::blank_card());
    other->disk.diskseq = 99;
    opened.devices.set_devices({other});
    QVERIFY(!opened.danger().isEnabled());
  }
  void whatIsLostAndWhatSurvivesIsNamed() {
    Opened opened(samples::free_disk());
    QString all;
    for (const QLabel* label : opened.dialog.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
    QVERIFY(all.contains(u"exfat, T7"));
    QVERIFY(all.contains(u"There is no undo"));
    QVERIFY(all.contains(u"not secure erase"));
  }
  void whatNobodyKnowsIsDataAllTheSame() {
    Opened opened(samples::blank_card());
    QString all;
    for (const QLabel* label : opened.dialog.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
    QVERIFY(all.contains(u"It may hold data all the same. There is no undo."));
    QVERIFY(all.contains(u"Old bytes past"));
    QVERIFY(!all.contains(u"blank", Qt::CaseInsensitive) && !all.contains(u"Nothing was found"));
    const QStringList now = opened.dialog.findChild<BeforeAfter*>()->table().rows.first();
    QVERIFY(now.contains(u"sdd: nothing known on it"_s));
  }
  void aLargeDiskOfUnknownContentIsTyped() {
    auto large = std::make_shared<Device>(*samples::blank_card());
    large->disk.size = 1'000'204'886'016;
    Opened opened(large);
    QVERIFY(opened.typed());
    QVERIFY(!opened.danger().isEnabled());
  }
  void theFieldStandsWhereTheQuestionEnds() {
    Opened opened(samples::free_disk());
    const QLineEdit& field = *opened.typed();
    for (const QLabel* label : opened.dialog.findChildren<QLabel*>())
      if (label->buddy() == &field) QCOMPARE(field.x(), label->geometry().right() + 1 + 16);
    QVERIFY(!field.accessibleName().contains(u'&'));
  }
};

QTEST_MAIN(EraseDialogTest)
#include "erase_dialog_test.moc"
