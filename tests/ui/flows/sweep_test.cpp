// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// LABELS: slow
// TIMEOUT: 240
//
// Measurements that write, begun by clicks in the window: into a scratch file on a mounted device, of which nothing may
// stay, and over a device, which has to be confirmed. The device is a loop device over a file of this test.
#include <csignal>

#include <QtWidgets>
#include <filesystem>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/controls/buttons.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/jobs/sweep_store.h"
#include "ui/main_window.h"
#include "ui/pages/device_view.h"
#include "ui/pages/image_view.h"
#include "ui/pages/sweep_page.h"
#include "ui/panes/side_list.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

namespace {

constexpr uintmax_t device_size = (100 << 20) + (512 << 10);
constexpr char kept_words[] = "what was on it before";
const QString to_scratch = u"Write to a scratch file on it"_s, over_device = u"Write, one request at a time (erases)"_s;

QString text(const std::string& from) { return QString::fromStdString(from); }

// The workers of this process, whichever of its threads started them.
QList<pid_t> workers() {
  QList<pid_t> found;
  for (const QString& thread : QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    QFile list(u"/proc/self/task/%1/children"_s.arg(thread));
    if (!list.open(QIODevice::ReadOnly)) continue;
    for (const QByteArray& pid : list.readAll().simplified().split(' ')) {
      QFile name(u"/proc/%1/comm"_s.arg(QString::fromLatin1(pid)));
      if (name.open(QIODevice::ReadOnly) && name.readAll().startsWith("disklathe-worke")) found << pid.toInt();
    }
  }
  return found;
}

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere");  // nobody unmounts anything of this machine
  }
  void init() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    folder_ = std::make_unique<test::TempDir>();
    test::write_file(folder_->file("disk"), {});
    std::filesystem::resize_file(folder_->file("disk"), device_size);
    loop_ = test::LoopDevice::attach(folder_->file("disk"), 512);
    if (!loop_) QSKIP(test::LoopDevice::why_not());
    window_ = std::make_unique<MainWindow>();
    window_->show();
    window_->start();
  }
  void cleanup() {
    window_.reset();
    unmount();
    loop_.reset();
    folder_.reset();
  }

  // With files that have no name, and (where the kernel has such a file system) without.
  void aScratchFileIsMeasuredAndNothingStays_data() { file_systems(); }
  void aScratchFileIsMeasuredAndNothingStays() {
    QFETCH(const QString, kind);
    QVERIFY(mount(kind.toStdString()));
    const auto before = state();
    QVERIFY(show_sweep(to_scratch));
    QVERIFY(says(*window_, u" of room for about 13\u00a0s. Nothing stays."_s));
    QVERIFY(click(*window_, u"Run"_s));
    QVERIFY(says(*window_, u"the request size to use"_s));
    QVERIFY(button(*window_, u"Run Again"_s));
    QCOMPARE(chosen_mode(), to_scratch);
    const QueuedJob* job = window_->queue().jobs().last();
    QVERIFY(job->result()->good());
    const auto& points = std::get<job::Swept>(*job->result()->outcome).points;
    QCOMPARE(points.size(), size_t{13});
    for (const SweepPoint& point : points) QVERIFY(point.rate > 0);
    QVERIFY2(state() == before, qPrintable(difference(before)));
    QCOMPARE(kept_sweeps(text(device()->disk.id)).size(), 1);
    QCOMPARE(kept_sweeps(text(device()->disk.id)).first().mode, u"scratch 1"_s);
  }
  void cancelledNothingStaysEither_data() { file_systems(); }
  void cancelledNothingStaysEither() {
    QFETCH(const QString, kind);
    QVERIFY(mount(kind.toStdString()));
    const auto before = state();
    const QueuedJob* job = begin_scratch();
    QVERIFY(job);
    QVERIFY(click(*window_, u"Stop"_s));
    QVERIFY(says(*window_, u"Failed: cancelled. Of the scratch file nothing stays."_s));
    QVERIFY(job->result()->stopped());
    QVERIFY2(state() == before, qPrintable(difference(before)));
    QVERIFY(button(*window_, u"Run"_s) && button(*window_, u"Run"_s)->isEnabled());
    QVERIFY(kept_sweeps(text(device()->disk.id)).isEmpty());
  }
  void aWorkerThatIsKilledLeavesNothing_data() { file_systems(); }
  void aWorkerThatIsKilledLeavesNothing() {
    QFETCH(const QString, kind);
    QVERIFY(mount(kind.toStdString()));
    const auto before = state();
    QVERIFY(begin_scratch());
    const auto running = workers();
    QCOMPARE(running.size(), 1);
    kill(running.first(), SIGKILL);
    QVERIFY(says(*window_, u"Failed: The worker ended without a word"_s));
    QVERIFY2(state() == before, qPrintable(difference(before)));
  }
  void theWindowThatClosesLeavesNothing() {
    QVERIFY(mount("ext4"));
    const auto before = state();
    QVERIFY(begin_scratch());
    window_.reset();
    QVERIFY(QTest::qWaitFor([&] { return state() == before; }, patience_ms));
  }

  void overADeviceItIsConfirmedAndThePlotIsShown() {
    test::write_file(folder_->file("content"), std::string(1 << 20, 'x'));
    QCOMPARE(test::run_program(
                 {"dd", "if=" + folder_->file("content"), "of=" + loop_->path(), "bs=1M", "conv=fsync", "status=none"})
                 .status,
             0);
    const std::string before = test::read_file(folder_->file("disk"));
    QVERIFY(show_sweep(over_device));
    QVERIFY(says(*window_, u"Writes over the first 104.9\u00a0MB for about 13\u00a0s. Asks first."_s));
    QVERIFY(click(*window_, u"Run"_s));
    auto* dialog = drive::dialog<EraseDialog>(*window_);
    QVERIFY(dialog);
    QVERIFY(said(*dialog).contains(text(loop_->name() + " · ")));
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(window_->queue().jobs().isEmpty());
    QVERIFY(test::read_file(folder_->file("disk")) == before);

    QVERIFY(click(*window_, u"Run"_s));
    dialog = drive::dialog<EraseDialog>(*window_);
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<DangerButton*>(), Qt::LeftButton);
    QVERIFY(says(*window_, u"the request size to use"_s));
    QCOMPARE(chosen_mode(), over_device);
    QVERIFY(window_->queue().jobs().last()->result()->good());
    const std::string after = test::read_file(folder_->file("disk"));
    QVERIFY(after.size() == before.size() && after.substr(0, 1 << 20) != before.substr(0, 1 << 20));
    // Only what was said.
    QVERIFY(after.substr(100 << 20) == before.substr(100 << 20));
    QCOMPARE(kept_sweeps(text(device()->disk.id)).first().mode, u"write 1"_s);
  }
  // Of its file, whatever its format: past the caches, and only read.
  void theFileOfAnImageIsMeasured() {
    const std::string content(3 << 20, 'x');
    const std::string path = folder_->file("a.raw");
    test::write_file(path, content);
    drop(*window_, {text(path)});
    auto* view = window_->findChild<ImageView*>();
    QVERIFY(QTest::qWaitFor([&] { return view->image() && view->image()->map_complete(); }, patience_ms));
    view->show_sweep();
    QVERIFY(says(*window_, u" in about 13\u00a0s. Writes nothing."_s));
    for (const auto* box : view->findChildren<QComboBox*>())
      if (box->isVisible()) QVERIFY(box->findText(over_device) < 0);
    QVERIFY(click(*window_, u"Run"_s));
    QVERIFY(says(*window_, u"the request size to use"_s));
    const QueuedJob* job = window_->queue().jobs().last();
    QVERIFY(job->result()->good());
    QCOMPARE(std::get<job::Swept>(*job->result()->outcome).points.size(), size_t{10});  // 4 KiB to 2 MiB
    QVERIFY(test::read_file(path) == content);
    QCOMPARE(kept_sweeps(u"file "_s + text(path)).size(), 1);
  }
  void aMountedDeviceCannotBeWrittenOver() {
    QVERIFY(mount("ext4"));
    QVERIFY(show_sweep(to_scratch));
    auto* box = modes();
    const int row = box->findText(over_device);
    QVERIFY(!(box->model()->flags(box->model()->index(row, 0)) & Qt::ItemIsEnabled));
    QVERIFY(box->itemData(row, Qt::ToolTipRole).toString().contains(text(point())));
  }

 private:
  // What a person who looks at the mounted device can see: names, content, and the room that is free.
  struct State {
    std::vector<std::string> names;
    std::string content;
    uintmax_t free = 0;
    bool operator==(const State&) const = default;
  };
  static void file_systems() {
    QTest::addColumn<QString>("kind");
    QTest::newRow("ext4") << u"ext4"_s;
    QFile known(u"/proc/filesystems"_s);
    if (known.open(QIODevice::ReadOnly) && known.readAll().contains("\tvfat\n")) QTest::newRow("vfat") << u"vfat"_s;
  }
  std::string point() const { return folder_->file("mounted"); }
  State state() const {
    test::run_program({"sync", "-f", point()});
    State now;
    for (const auto& entry : std::filesystem::directory_iterator(point()))
      now.names.push_back(entry.path().filename().string());
    std::ranges::sort(now.names);
    now.content = test::read_file(point() + "/a");
    now.free = std::filesystem::space(point()).free;
    return now;
  }
  QString difference(const State& before) const {
    const State now = state();
    QStringList names;
    for (const std::string& name : now.names) names << text(name);
    return u"free %1, was %2; %3"_s.arg(now.free).arg(before.free).arg(names.join(u' '));
  }
  bool mount(const std::string& kind) {
    if (test::run_program({"mkfs." + kind, loop_->path()}).status != 0) return false;
    std::filesystem::create_directory(point());
    if (test::run_program({"mount", loop_->path(), point()}).status != 0) return false;
    mounted_ = true;
    test::write_file(point() + "/a", kept_words);
    return QTest::qWaitFor([&] { return device() && device()->usage.in_use; }, patience_ms);
  }
  void unmount() {
    if (mounted_) QCOMPARE(test::run_program({"umount", point()}).status, 0);
    mounted_ = false;
  }
  DevicePtr device() const {
    for (const DevicePtr& one : window_->devices().devices())
      if (one->disk.node == loop_->path()) return one;
    return nullptr;
  }
  QComboBox* modes() const {
    for (auto* box : window_->findChild<DeviceView*>()->findChild<SweepPage*>()->findChildren<QComboBox*>())
      if (box->accessibleName() == u"What to measure") return box;
    return nullptr;
  }
  QString chosen_mode() const { return modes()->currentText(); }
  bool show_sweep(const QString& mode) {
    if (!QTest::qWaitFor([&] { return device() != nullptr; }, patience_ms)) return false;
    auto* list = window_->findChildren<SideList*>().first();
    for (int row = 0; row < window_->devices().rowCount(); ++row)
      if (window_->devices().at(row) == device()) list->setCurrentIndex(window_->devices().index(row));
    window_->findChild<DeviceView*>()->show_tab(DeviceView::Tab::sweep);
    modes()->setCurrentIndex(modes()->findText(mode));
    return modes()->currentIndex() >= 0;
  }
  // Into a scratch file, until bytes are written.
  QueuedJob* begin_scratch() {
    if (!show_sweep(to_scratch) || !click(*window_, u"Run"_s)) return nullptr;
    QueuedJob* job = window_->queue().jobs().last();
    const auto writes = [&] { return job->worker() && job->worker()->progress().phase == Phase::write; };
    return QTest::qWaitFor(writes, patience_ms) ? job : nullptr;
  }

  std::unique_ptr<test::TempDir> folder_;
  std::unique_ptr<test::LoopDevice> loop_;
  std::unique_ptr<MainWindow> window_;
  bool mounted_ = false;
};

QTEST_MAIN(SweepTest)
#include "sweep_test.moc"
