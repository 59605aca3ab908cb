// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 120
//
// Walks every page and dialog as a screen reader and as a keyboard does.
#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "tests/support_ui/looks.h"
#include "tests/support_ui/sample_devices.h"
#include "ui/controls/page_tabs.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/device_picker.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/pages/device_view.h"
#include "ui/pages/limits_page.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_list.h"
#include "ui/pictures/paint.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/plan_bar.h"
#include "ui/theme/glyph.h"
#include "ui/theme/theme.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

namespace {

QList<QWidget*> focusable(QWidget& root) {
  QList<QWidget*> found;
  for (QWidget* widget : root.findChildren<QWidget*>())
    if (widget->isVisible() && widget->window() == root.window() && widget->isEnabled() &&
        (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy())
      found << widget;
  return found;
}

QString called(const QWidget& widget) {
  return QString::fromLatin1(widget.metaObject()->className()) + u" in "_s +
         (widget.parentWidget() ? QString::fromLatin1(widget.parentWidget()->metaObject()->className()) : QString());
}

// What a screen reader walks: everything that can have the keyboard says what it is and what it is called.
void check_tree(QAccessibleInterface* face, int depth, int& seen) {
  if (!face || !face->isValid() || depth > 40) return;
  const QAccessible::State state = face->state();
  if (state.invisible && depth > 0) return;
  if (state.focusable && !state.disabled) {
    ++seen;
    const auto* widget = qobject_cast<QWidget*>(face->object());
    const bool line_of_a_box = widget && (qobject_cast<QComboBox*>(widget->parentWidget()) ||
                                          qobject_cast<QAbstractSpinBox*>(widget->parentWidget()));
    const QString where = widget ? called(*widget) : u"an item, role %1"_s.arg(face->role());
    QVERIFY2(face->role() != QAccessible::NoRole, qPrintable(where));
    const bool empty_cell = face->role() == QAccessible::Cell;  // its row has a name in another one
    if (!line_of_a_box && !empty_cell && face->role() != QAccessible::Window && face->role() != QAccessible::Dialog)
      QVERIFY2(!face->text(QAccessible::Name).isEmpty(), qPrintable(u"no name: "_s + where));
  }
  for (int child = 0; child < face->childCount(); ++child) check_tree(face->child(child), depth + 1, seen);
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
  int seen = 0;
  check_tree(QAccessible::queryAccessibleInterface(&root), 0, seen);
  QVERIFY(seen > 0);
}

// As a person does it: Tab, until the first one has the keyboard again.
void check_tab_order(QWidget& root) {
  const QList<QWidget*> wanted = focusable(root);
  QVERIFY(!wanted.isEmpty());
  QSet<QWidget*> reached;
  wanted.first()->setFocus();
  for (int steps = 0; steps < 500; ++steps) {
    QWidget* at = QApplication::focusWidget();
    QVERIFY(at);
    if (reached.contains(at) && at == wanted.first()) break;
    reached << at;
    QKeyEvent press(QEvent::KeyPress, Qt::Key_Tab, Qt::NoModifier), release(QEvent::KeyRelease, Qt::Key_Tab, {});
    QCoreApplication::sendEvent(at, &press);
    QCoreApplication::sendEvent(at, &release);
  }
  for (QWidget* widget : wanted) {
    // Of exclusive choices Tab reaches the one that is chosen, and the arrows the others.
    const auto* choice = qobject_cast<QAbstractButton*>(widget);
    if (choice && choice->isCheckable() && choice->autoExclusive() && !choice->isChecked()) continue;
    if (choice && choice->group() && choice->group()->exclusive() && !choice->isChecked()) continue;
    QVERIFY2(reached.contains(widget), qPrintable(u"not reached: "_s + called(*widget)));
  }
}

// Pictures say in words what they show.
void check_pictures(QWidget& root) {
  for (const Picture* picture : root.findChildren<Picture*>()) {
    if (!picture->isVisible()) continue;
    const QString which = called(*picture) + u' ' + picture->accessibleName();
    QVERIFY2(!picture->accessibleName().isEmpty(), qPrintable(which));
    const PictureTable table = picture->table();
    QVERIFY2(!table.headers.isEmpty(), qPrintable(which));
    for (const QStringList& row : table.rows) QVERIFY2(row.size() == table.headers.size(), qPrintable(which));
  }
}

void check(QWidget& root) {
  root.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&root));
  check_names(root);
  check_pictures(root);
  check_tab_order(root);
}

void check_tabs(MainWindow& window) {
  int pages = 0;
  for (auto* tabs : window.findChildren<PageTabs*>())
    for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab, ++pages) {
      tabs->setCurrentIndex(tab);
      QTest::qWait(20);
      check(window);
      if (QTest::currentTestFailed()) qWarning("on the page %s", qPrintable(tabs->tabText(tab)));
    }
  QVERIFY(pages > 1);
}

// Light or dark: the shape of a mark, whatever its colours.
QImage shape_of(const std::function<void(QPainter&)>& paint) {
  QImage image(28, 20, QImage::Format_RGB32);
  image.fill(theme().base);
  QPainter p(&image);
  paint(p);
  p.end();
  int least = 255, most = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      least = std::min(least, qGray(image.pixel(x, y)));
      most = std::max(most, qGray(image.pixel(x, y)));
    }
  QImage shape(image.size(), QImage::Format_Mono);
  for (int y = 0; y < shape.height(); ++y)
    for (int x = 0; x < shape.width(); ++x) shape.setPixel(x, y, 2 * qGray(image.pixel(x, y)) > least + most);
  return shape;
}

void check_shapes(const QMap<QString, QImage>& shapes) {
  for (auto one = shapes.begin(); one != shapes.end(); ++one)
    for (auto other = std::next(one); other != shapes.end(); ++other) {
      int differ = 0;
      for (int y = 0; y < one->height(); ++y)
        for (int x = 0; x < one->width(); ++x) differ += one->pixel(x, y) != other->pixel(x, y);
      QVERIFY2(differ >= 8, qPrintable(one.key() + u" looks like "_s + other.key()));
    }
}

}  // namespace

class AccessibilityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
    looks::use_palette(false);
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", base(), "32M"}).status, 0);
    QCOMPARE(test::run_program({"qemu-io", "-f", "qcow2", "-c", "write -q -P 1 0 9M", base()}).status, 0);
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", "-b", base(), "-F", "qcow2", top()}).status,
             0);
  }
  void init() { QSettings().clear(); }

  void theEmptyWindow() {
    MainWindow window;
    window.show();
    window.activateWindow();
    check(window);
  }
  void everyPageOfADevice() {
    MainWindow window;
    window.show();
    window.set_devices(samples::devices());
    auto* devices = window.findChildren<SideList*>().first();
    devices->setCurrentIndex(devices->model()->index(2, 0));
    window.findChild<DeviceView*>()->limits().set_report(u"/dev/sdc"_s, samples::limits());
    check_tabs(window);
  }
  void everyPageOfAnImage() {
    MainWindow window;
    window.show();
    window.open({QUrl::fromLocalFile(QString::fromStdString(top()))});
    const ImagePtr image = window.images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return !image->references_to_allow().isEmpty(); }, patience_ms));
    check_tabs(window);  // it asks
    image->allow(QString::fromStdString(base()));
    QVERIFY(QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms));
    check_tabs(window);
  }
  void everyPageOfAJobAndTheHistory() {
    MainWindow window;
    window.show();
    const QString source = QString::fromStdString(base());
    window.open({QUrl::fromLocalFile(source)});
    JobRequest request{.work = job::Convert{.format = "raw", .target_is_zero = true, .verify = true}, .source = source};
    request.target = QString::fromStdString(folder_.file("a.raw"));
    QueuedJob* job = window.queue().add(request);
    window.show_job(job);
    check(window);  // it runs
    QVERIFY(QTest::qWaitFor([&] { return job->state() == QueuedJob::State::ended; }, patience_ms));
    check_tabs(window);
    request.target = u"/nowhere/a.raw"_s;
    QueuedJob* fails = window.queue().add(request);
    window.show_job(fails);
    QVERIFY(says(window, u"Failed: "_s));
    check_tabs(window);
    Q_EMIT window.findChild<JobsPane*>()->history_wanted();
    QTest::qWait(20);
    check(window);
  }
  void everyDialog() {
    DeviceModel devices;
    devices.set_devices(samples::devices());
    ChosenDevice chosen;
    chosen.disk = samples::free_disk()->disk;
    chosen.identity.number = chosen.disk.number;
    auto image = std::make_shared<OpenImage>(QString::fromStdString(base()));
    image->inspect();
    QVERIFY(QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms));
    EraseDialog erase(chosen, {.name = u"image"_s, .size = 1 << 30}, devices, nullptr);
    PreferencesDialog preferences;
    DevicePicker picker(devices);
    ConvertDialog to_file(image, devices, nullptr), to_device(image, devices, nullptr);
    to_file.choose_format(u"qcow2"_s);
    to_device.choose_device(devices.at(3));
    for (QWidget* dialog : std::initializer_list<QWidget*>{&erase, &preferences, &picker, &to_file, &to_device}) {
      dialog->show();
      dialog->activateWindow();
      check(*dialog);
      dialog->hide();
    }
  }
  // Alt and one letter lead to one thing.
  void noMnemonicIsGivenTwice() {
    DeviceModel devices;
    devices.set_devices(samples::devices());
    auto image = std::make_shared<OpenImage>(QString::fromStdString(base()));
    ConvertDialog convert(image, devices, nullptr);
    PreferencesDialog preferences;
    for (QWidget* dialog : std::initializer_list<QWidget*>{&convert, &preferences}) {
      dialog->show();
      QMap<QString, QString> of;
      const auto take = [&](const QString& text) {
        const QKeySequence key = QKeySequence::mnemonic(text);
        if (key.isEmpty()) return;
        QVERIFY2(!of.contains(key.toString()), qPrintable(text + u" and "_s + of.value(key.toString())));
        of[key.toString()] = text;
      };
      for (const auto* one : dialog->findChildren<QAbstractButton*>())
        if (one->isVisible()) take(one->text());
      for (const auto* one : dialog->findChildren<QLabel*>())
        if (one->isVisible() && one->buddy()) take(one->text());
    }
  }
  void rowsSayTheirStateInWords() {
    DeviceModel devices;
    devices.set_devices(samples::devices());
    const auto said = [&](int row) { return devices.index(row).data(Qt::AccessibleDescriptionRole).toString(); };
    QVERIFY(said(0).contains(u"System"));
    QVERIFY(said(2).contains(u"Mounted"));
    QVERIFY(said(3).contains(u"Unknown"));
  }
  void nothingIsToldByColourAlone_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void nothingIsToldByColourAlone() {
    QFETCH(bool, dark);
    looks::use_palette(dark);
    QMap<QString, QImage> kinds;
    for (const auto& [name, kind] : {std::pair(u"data"_s, ContentKind::data),
                                     {u"compressed"_s, ContentKind::compressed},
                                     {u"backing"_s, ContentKind::backing},
                                     {u"zero"_s, ContentKind::zero},
                                     {u"hole"_s, ContentKind::hole},
                                     {u"encrypted"_s, ContentKind::encrypted},
                                     {u"unreadable"_s, ContentKind::unreadable}})
      kinds[name] = shape_of([kind](QPainter& p) { paint_kind(p, {2, 2, 24, 16}, kind); });
    check_shapes(kinds);
    check_shapes({{u"written"_s, shape_of([](QPainter& p) { paint_under_bar(p, {2, 8}, 24, false, false); })},
                  {u"verified"_s, shape_of([](QPainter& p) { paint_under_bar(p, {2, 8}, 24, true, false); })}});
    check_shapes(
        {{u"write"_s, shape_of([](QPainter& p) { PlanBar::paint_mark(p, {2, 2, 24, 16}, PlanBar::Mark::write); })},
         {u"zero"_s, shape_of([](QPainter& p) { PlanBar::paint_mark(p, {2, 2, 24, 16}, PlanBar::Mark::zero); })},
         {u"skip"_s, shape_of([](QPainter& p) { PlanBar::paint_mark(p, {2, 2, 24, 16}, PlanBar::Mark::skip); })}});
    check_shapes({{u"good"_s, shape_of([](QPainter& p) { paint_glyph(p, {2, 2, 16, 16}, Glyph::good, Qt::gray); })},
                  {u"bad"_s, shape_of([](QPainter& p) { paint_glyph(p, {2, 2, 16, 16}, Glyph::bad, Qt::gray); })}});
  }
  void wordsStandOutFromTheirGround_data() { nothingIsToldByColourAlone_data(); }
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

 private:
  std::string base() const { return folder_.file("base.qcow2"); }
  std::string top() const { return folder_.file("top.qcow2"); }

  test::TempDir folder_;
};

QTEST_MAIN(AccessibilityTest)
#include "accessibility_test.moc"
