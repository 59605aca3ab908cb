// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/dialogs/device_picker.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support_ui/sample_devices.h"
#include "ui/devices/device_model.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int system_row = 0, lvm_row = 1, mounted_row = 2, card_row = 3;

struct Shown {
  DeviceModel devices;
  DevicePicker picker;
  QListView& list;

  Shown() : picker((devices.set_devices(samples::devices()), devices)), list(*picker.findChild<QListView*>()) {
    picker.resize(500, 400);
    picker.show();
    picker.activateWindow();
  }
  void click(int row) {
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(picker.targets().index(row, 0)).center());
  }
};

}  // namespace

class DevicePickerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsPreselected() {
    Shown shown;
    QVERIFY(!shown.picker.chosen());
    shown.list.setFocus();  // Qt makes a row current when a list gets the keyboard
    QVERIFY(!shown.picker.chosen());
  }
  void aSingleDeviceIsNotPreselectedEither() {
    Shown shown;
    shown.devices.set_devices({samples::blank_card()});
    QVERIFY(!shown.picker.chosen());
  }
  void theSystemDiskCannotBeChosen() {
    Shown shown;
    shown.click(system_row);
    QVERIFY(!shown.picker.chosen());
    shown.picker.choose(shown.devices.at(system_row));
    QVERIFY(!shown.picker.chosen());
    QVERIFY(shown.picker.targets().why_not(system_row).contains(u"system"));
  }
  void whatIsInUseCannotBeChosenAndSaysWhy() {
    Shown shown;
    for (const int row : {lvm_row, mounted_row}) {
      shown.click(row);
      QVERIFY(!shown.picker.chosen());
    }
    QVERIFY(shown.picker.targets().why_not(lvm_row).contains(u"vg0"));
    QVERIFY(shown.picker.targets().why_not(mounted_row).contains(u"/media/ana/T7"));
  }
  void aFreeDeviceIsChosenByAClick() {
    Shown shown;
    shown.click(card_row);
    QVERIFY(shown.picker.chosen());
    QCOMPARE(QString::fromStdString(shown.picker.chosen()->disk.name), u"sdd"_s);
  }
  void theFirstArrowChoosesTheFirstDeviceThatCanBe_data() {
    QTest::addColumn<int>("key");
    QTest::newRow("down") << int(Qt::Key_Down);
    QTest::newRow("up") << int(Qt::Key_Up);
  }
  void theFirstArrowChoosesTheFirstDeviceThatCanBe() {
    QFETCH(int, key);
    Shown shown;
    auto second = std::make_shared<Device>(*samples::blank_card());
    second->disk.name = "sde";
    second->disk.node = "/dev/sde";
    second->disk.serial = "SECOND";
    shown.devices.set_devices({samples::devices().front(), samples::blank_card(), second});
    shown.list.setFocus();
    QVERIFY(!shown.picker.chosen());
    QTest::keyClick(&shown.list, static_cast<Qt::Key>(key));
    QVERIFY(shown.picker.chosen());
    QCOMPARE(QString::fromStdString(shown.picker.chosen()->disk.name), u"sdd"_s);
    QTest::keyClick(&shown.list, Qt::Key_Down);
    QCOMPARE(QString::fromStdString(shown.picker.chosen()->disk.name), u"sde"_s);
  }
  void whatIsTooSmallSaysByHowMuch() {
    Shown shown;
    shown.click(card_row);
    shown.picker.set_needed(32'010'928'128 + 1'572'864, {});
    QVERIFY(!shown.picker.chosen());
    QVERIFY(shown.picker.targets().why_not(card_row).contains(u"1,572,864"));
  }
  void aVanishedDeviceClearsTheChoice() {
    Shown shown;
    shown.click(card_row);
    QVERIFY(shown.picker.chosen());
    DeviceList left = samples::devices();
    left.pop_back();
    shown.devices.set_devices(left);
    QVERIFY(!shown.picker.chosen());
    QVERIFY(shown.list.selectionModel()->selectedIndexes().isEmpty());
    // Its return does not bring the choice back.
    shown.devices.set_devices(samples::devices());
    QVERIFY(!shown.picker.chosen());
  }
  // A list of Qt's goes over to the next row that can be chosen.
  void aVanishedDeviceDoesNotLeaveTheChoiceToItsNeighbour() {
    for (const bool before : {true, false}) {
      Shown shown;
      auto other = std::make_shared<Device>(*samples::blank_card());
      other->disk.name = before ? "sda" : "sdz";
      other->disk.node = "/dev/" + other->disk.name;
      other->disk.serial = "OTHER";
      shown.devices.set_devices(before ? DeviceList{other, samples::blank_card()}
                                       : DeviceList{samples::blank_card(), other});
      shown.list.doItemsLayout();
      shown.click(before ? 1 : 0);
      QVERIFY(shown.picker.chosen());
      shown.devices.set_devices({other});
      QVERIFY(!shown.picker.chosen());
      QVERIFY(shown.list.selectionModel()->selectedIndexes().isEmpty());
    }
  }
  void theNextDeviceUnderTheSameNameIsNotChosen() {
    Shown shown;
    shown.click(card_row);
    DeviceList changed = samples::devices();
    auto other = std::make_shared<Device>(*changed.back());
    other->disk.serial = "ANOTHER";
    changed.back() = other;
    shown.devices.set_devices(changed);
    QVERIFY(!shown.picker.chosen());
  }
  void aDeviceThatIsMountedMeanwhileIsNotChosenAnyMore() {
    Shown shown;
    shown.click(card_row);
    DeviceList changed = samples::devices();
    auto mounted = std::make_shared<Device>(*changed.back());
    mounted->usage.in_use = true;
    mounted->usage.holds.push_back({.kind = HoldKind::mount, .by = "/media/ana/CARD", .chain = {"sdd"}});
    changed.back() = mounted;
    shown.devices.set_devices(changed);
    QVERIFY(!shown.picker.chosen());
  }
  void aDeviceThatComesDoesNotMoveTheChoice() {
    Shown shown;
    shown.click(card_row);
    DeviceList more = samples::devices();
    more.erase(more.begin() + lvm_row);
    shown.devices.set_devices(more);
    QVERIFY(shown.picker.chosen());
    QCOMPARE(QString::fromStdString(shown.picker.chosen()->disk.name), u"sdd"_s);
  }
};

QTEST_MAIN(DevicePickerTest)
#include "device_picker_test.moc"
