// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 240
//
// An image of a device, by clicks and by keys in the window. The device is a loop device over a file that this test
// serves, and pulls out.
#include <QtWidgets>
#include <filesystem>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/served_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_list.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;
using Request = disklathe::test::ServedFile::Request;

namespace {

constexpr size_t mebibyte = 1 << 20, device_size = 32 * mebibyte;

QString text(const std::string& from) { return QString::fromStdString(from); }

}  // namespace

class DeviceImageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere");  // nobody ejects or unmounts anything of this machine
  }
  void init() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    folder_ = std::make_unique<test::TempDir>();
    disk_ = test::ServedFile::mount(folder_->path(), device_size);
    if (!disk_) QSKIP(test::ServedFile::why_not());
    loop_ = test::LoopDevice::attach(disk_->path(), 512);
    if (!loop_) QSKIP(test::LoopDevice::why_not());
    window_ = std::make_unique<MainWindow>();
    window_->show();
  }
  void cleanup() {
    if (disk_) disk_->release();
    window_.reset();
    loop_.reset();
    disk_.reset();
    folder_.reset();
  }

  void theToolMakesAFileThatIsTheDevice() {
    fill(3 * mebibyte);
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog);
    const QString most = u"at most 33.6\u00a0MB"_s;
    for (const QString& words : {u"Make an image of Loop device"_s, u", only read"_s, most, u"Needs "_s + most})
      QVERIFY(says(*dialog, words));
    QVERIFY(!button(*dialog, u"To a device"_s));
    QVERIFY(make(*dialog));
    QVERIFY(says(*window_, u"Verified: 33.6\u00a0MB read back"_s));
    QVERIFY(says(*window_, u"Every byte of a.raw was read back and is the same."_s));
    QVERIFY(image_is_device());
    // It can be looked at, and dragged from, at once.
    QCOMPARE(window_->images().at(0)->path(), text(target()));
  }
  // What is on it may be an image itself: that is not taken apart.
  void anImageOnTheDeviceIsKeptAsItIs() {
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", folder_->file("q"), "4M"}).status, 0);
    put(test::read_file(folder_->file("q")));
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog && make(*dialog));
    QVERIFY(says(*window_, u"Verified: 33.6\u00a0MB read back"_s));
    QVERIFY(image_is_device());
  }
  void theMenuOfItsRowIsOpenedByAKey() {
    QVERIFY(show_device());
    auto* list = window_->findChildren<SideList*>().first();
    QContextMenuEvent key(QContextMenuEvent::Keyboard, {}, list->mapToGlobal(QPoint()));
    QCoreApplication::sendEvent(list->viewport(), &key);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QTest::keyClick(menu, Qt::Key_I);
    auto* dialog = drive::dialog<ConvertDialog>(*window_);
    QVERIFY(dialog && says(*dialog, u"Make an image of Loop device"_s));
  }
  void withoutADeviceThereIsNothingToMakeAnImageOf() {
    window_->start();
    QVERIFY(button(*window_, u"Make Image…"_s));
    QVERIFY(!button(*window_, u"Make Image…"_s)->isEnabled());
  }

  void ofAMountedDeviceItIsSaidWhatBecomesOfTheImage() {
    QCOMPARE(test::run_program({"mkfs.ext4", "-q", loop_->path()}).status, 0);
    const std::string point = folder_->file("mounted");
    std::filesystem::create_directory(point);
    QCOMPARE(test::run_program({"mount", "-o", "ro", loop_->path(), point}).status, 0);
    const auto unmount = qScopeGuard([&] { test::run_program({"umount", point}); });
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog);
    QVERIFY(
        says(*dialog, u"It is mounted at %1. What changes while it is read may not fit together"_s.arg(text(point))));
    // It would be a part of itself.
    QVERIFY(type_into(*dialog, u"Save as"_s, text(point + "/a.raw")));
    QVERIFY(says(*dialog, u"That folder is on the device itself. Choose one elsewhere."_s));
    QVERIFY(!button(*dialog, u"Make Image"_s)->isEnabled());
    QVERIFY(make(*dialog));
    QVERIFY(says(*window_, u"Verified: 33.6\u00a0MB read back"_s));
    QVERIFY(image_is_device());
  }

  void unpluggedWhileChoosingNothingCanBeMade() {
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog && type_into(*dialog, u"Save as"_s, text(target())));
    pull_out();
    QVERIFY(says(*dialog, u"Loop device was unplugged."_s));
    QVERIFY(!button(*dialog, u"Make Image"_s)->isEnabled());
  }
  void unpluggedWhileItIsReadNoFileIsLeft() {
    fill(device_size);
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog);
    QCOMPARE(test::run_program({"blockdev", "--flushbufs", loop_->path()}).status, 0);
    disk_->hold(Request::read);
    QVERIFY(make(*dialog));
    QVERIFY(QTest::qWaitFor([&] { return disk_->holds(); }, patience_ms));
    disk_->fail(Request::read, ENODEV);
    disk_->release();
    pull_out();
    QVERIFY(says(*window_, u"Failed: Loop device was unplugged"_s));
    QVERIFY(says(*window_, u"Nothing was left under the name a.raw. Check the cable"_s));
    QVERIFY(!std::filesystem::exists(target()));
    QVERIFY(!button(*window_, u"Compare"_s));
  }
  void anotherDeviceInItsPlaceIsNotRead() {
    QVERIFY(show_device());
    auto before = std::make_shared<Device>(*device());
    before->disk.diskseq = before->disk.diskseq.value_or(0) + 1;
    JobRequest request{.work = job::Convert{.source_format = "raw", .format = "raw"}, .source = text(loop_->path())};
    request.target = text(target());
    request.read = before;
    window_->show_job(window_->queue().add(request));
    QVERIFY(says(*window_, u"Failed: Loop device was unplugged or went away."_s));
    QVERIFY(!std::filesystem::exists(target()));
  }
  void againOpensTheDialogAndStartsNothing() {
    ConvertDialog* dialog = open_by_tool();
    QVERIFY(dialog && make(*dialog));
    QVERIFY(says(*window_, u"Verified: "_s));
    Q_EMIT window_->findChild<JobsPane*>()->history_wanted();
    const QString title = u"Loop device (%1) → a.raw"_s.arg(text(loop_->name()));
    QVERIFY(says(*window_, title));
    QVERIFY(click(*window_, title + u" again"_s));
    dialog = drive::dialog<ConvertDialog>(*window_);
    QVERIFY(dialog && says(*dialog, u"Make an image of Loop device"_s));
    QVERIFY(says(*dialog, u"Replaces the file of that name"_s));
    QCOMPARE(window_->queue().jobs().size(), 1);
  }

 private:
  std::string target() const { return folder_->file("a.raw"); }
  void put(const std::string& content) const {
    test::write_file(folder_->file("content"), content);
    QCOMPARE(test::run_program(
                 {"dd", "if=" + folder_->file("content"), "of=" + loop_->path(), "bs=1M", "conv=fsync", "status=none"})
                 .status,
             0);
  }
  // No byte of it is zero.
  void fill(size_t size) const {
    std::string content(size, '\0');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(1 + i * 7 % 250);
    put(content);
  }
  void pull_out() {
    std::filesystem::resize_file(disk_->path(), 0);
    loop_->follow_size();
    test::write_file("/sys/block/" + loop_->name() + "/uevent", "change");
  }
  bool image_is_device() {
    const auto held = disk_->content();
    return test::read_file(target()) == std::string(held.begin(), held.end());
  }
  DevicePtr device() const {
    for (const DevicePtr& one : window_->devices().devices())
      if (one->disk.node == loop_->path()) return one;
    return nullptr;
  }
  bool show_device() {
    window_->start();
    if (!QTest::qWaitFor([&] { return device() != nullptr; }, patience_ms)) return false;
    auto* list = window_->findChildren<SideList*>().first();
    for (int row = 0; row < window_->devices().rowCount(); ++row)
      if (window_->devices().at(row) == device()) list->setCurrentIndex(window_->devices().index(row));
    return says(*window_, text(loop_->name() + " · "));
  }
  ConvertDialog* open_by_tool() {
    if (!show_device() || !click(*window_, u"Make Image…"_s)) return nullptr;
    return drive::dialog<ConvertDialog>(*window_);
  }
  bool make(const ConvertDialog& dialog) {
    return type_into(dialog, u"Save as"_s, text(target())) && click(dialog, u"Make Image"_s);
  }

  std::unique_ptr<test::TempDir> folder_;
  std::unique_ptr<test::ServedFile> disk_;
  std::unique_ptr<test::LoopDevice> loop_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(DeviceImageTest)
#include "device_image_test.moc"
