// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
//
// Walks every page and dialog as a screen reader and as a keyboard does.
#include <QtWidgets>

#include <QTest>

#include "tests/support_ui/looks.h"
#include "tests/support_ui/sample_devices.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/device_picker.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/main_window.h"
#include "ui/pages/device_view.h"
#include "ui/pages/limits_page.h"
#include "ui/panes/side_list.h"
#include "ui/theme/theme.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

QList<QWidget*> focusable(QWidget& root) {
  QList<QWidget*> found;
  for (QWidget* widget : root.findChildren<QWidget*>())
    if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy())
      found << widget;
  return found;
}

QString called(const QWidget& widget) {
  return QString::fromLatin1(widget.metaObject()->className()) + u" in "_s +
         (widget.parentWidget() ? QString::fromLatin1(widget.parentWidget()->metaObject()->className()) : QString());
}

void check_names(QWidget& root) {
  for (QWidget* widget : focusable(root)) {
    // A spin or combo box speaks for the line it holds.
    if (qobject_cast<QComboBox*>(widget->parentWidget())) continue;
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
    QVERIFY2(face, qPrintable(called(*widget)));
    QVERIFY2(face->role() != QAccessible::NoRole, qPrintable(called(*widget)));
    QVERIFY2(!face->text(QAccessible::Name).isEmpty(), qPrintable(u"no name: "_s + called(*widget)));
  }
}

void check_tab_order(QWidget& root) {
  const QList<QWidget*> wanted = focusable(root);
  QSet<QWidget*> reached;
  QWidget* at = wanted.isEmpty() ? nullptr : wanted.first();
  for (int steps = 0; at && steps < 2000; ++steps) {
    at = at->nextInFocusChain();
    reached << at;
    if (at == wanted.first() && steps) break;
  }
  for (QWidget* widget : wanted) QVERIFY2(reached.contains(widget), qPrintable(u"not reached: "_s + called(*widget)));
}

}  // namespace

class AccessibilityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
    looks::use_palette(false);
  }
  void everyPageIsNamedAndReached() {
    MainWindow window;
    window.show();
    window.set_devices(samples::devices());
    check_names(window);
    check_tab_order(window);
    auto* devices = window.findChildren<SideList*>().first();
    devices->setCurrentIndex(devices->model()->index(2, 0));
    auto* view = window.findChild<DeviceView*>();
    view->limits().set_report(u"/dev/sdc"_s, samples::limits());
    for (int page = 0; page < 4; ++page) {
      view->show_page(page);
      QTest::qWait(10);
      check_names(window);
      check_tab_order(window);
    }
  }
  void everyDialogIsNamedAndReached() {
    DeviceModel devices;
    devices.set_devices(samples::devices());
    ChosenDevice chosen;
    chosen.disk = samples::free_disk()->disk;
    chosen.identity.number = chosen.disk.number;
    EraseDialog erase(chosen, {.name = u"image"_s, .size = 1 << 30}, devices, nullptr);
    PreferencesDialog preferences;
    DevicePicker picker(devices);
    for (QWidget* dialog : std::initializer_list<QWidget*>{&erase, &preferences, &picker}) {
      dialog->show();
      check_names(*dialog);
      check_tab_order(*dialog);
    }
  }
  void rowsSayTheirStateInWords() {
    DeviceModel devices;
    devices.set_devices(samples::devices());
    const auto said = [&](int row) { return devices.index(row).data(Qt::AccessibleDescriptionRole).toString(); };
    QVERIFY(said(0).contains(u"System"));
    QVERIFY(said(2).contains(u"Mounted"));
    QVERIFY(said(3).contains(u"Blank"));
  }
  void wordsStandOutFromTheirGround_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void wordsStandOutFromTheirGround() {
    QFETCH(bool, dark);
    looks::use_palette(dark);
    const Theme& t = theme();
    for (const QColor& ink : {t.text, t.muted, t.good_text, t.bad_text, t.warn_text})
      QVERIFY2(contrast(ink, t.base) >= 4.5, qPrintable(ink.name()));
    QVERIFY(contrast(t.window_muted, t.window) >= 4.5);
    for (const QColor& mark : {t.faint, t.accent_ink, t.data, t.good})
      QVERIFY2(contrast(mark, t.base) >= 3, qPrintable(mark.name()));
    QVERIFY(contrast(t.danger_fill, Qt::white) >= 4.5);
  }
};

QTEST_MAIN(AccessibilityTest)
#include "accessibility_test.moc"
