// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 240
//
// Onto a device by clicks in the window, and every way in which that goes wrong. The device is a loop device over a
// file that this test serves: it holds writes back, fails, forgets, and is pulled out when the test says so.
#include <QtWidgets>
#include <filesystem>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/served_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/controls/buttons.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/pages/device_contents_page.h"
#include "ui/pages/device_view.h"
#include "ui/panes/side_list.h"
#include "ui/pictures/allocation_map.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;
using Request = disklathe::test::ServedFile::Request;

namespace {

constexpr size_t mebibyte = 1 << 20, device_size = 32 * mebibyte, image_size = 16 * mebibyte;

QString text(const std::string& from) { return QString::fromStdString(from); }

}  // namespace

class DeviceWriteTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere");  // nobody ejects or unmounts anything of this machine
    folder_ = std::make_unique<test::TempDir>();
    // No byte of it is zero: each is written.
    content_.resize(image_size);
    for (size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>(1 + i * 7 % 250);
    test::write_file(image(), content_);
    plug_in();
    if (!disk_) QSKIP(test::ServedFile::why_not());
    if (!loop_) QSKIP(test::LoopDevice::why_not());
  }
  void init() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    loop_.reset();
    disk_.reset();
    plug_in();
    QVERIFY(loop_);
    window_ = std::make_unique<MainWindow>();
    window_->show();
    window_->start();
    drop(*window_, {text(image())});
    const ImagePtr open = window_->images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return open->map_complete() && device() != nullptr; }, patience_ms));
  }
  void cleanup() {
    if (disk_) disk_->release();
    window_.reset();
    loop_.reset();
    disk_.reset();
  }
  void cleanupTestCase() { folder_.reset(); }

  void theConfirmedDeviceIsWrittenAndReadBack() {
    QVERIFY(begin_writing());
    QVERIFY(says(*window_, u"Verified: 16.8\u00a0MB read back"_s));
    QVERIFY(says(*window_, u"Every byte came back from Loop device, past this computer's caches."_s));
    QVERIFY(!button(*window_, u"Eject"_s));  // there is nothing to be taken out
    const auto held = disk_->content();
    QVERIFY(std::equal(content_.begin(), content_.end(), held.begin()));
    QVERIFY(std::all_of(held.begin() + image_size, held.end(), [](char byte) { return byte == 0; }));
  }

  void whatLiesBehindTheImageIsNotMarked() {
    QVERIFY(begin_writing());
    QVERIFY(says(*window_, u"Verified: 16.8\u00a0MB read back"_s));
    show_device();
    QVERIFY(show_page(u"Contents"_s));
    const auto* page = window_->findChild<DeviceContentsPage*>();
    QVERIFY(page);
    const auto* map = page->findChild<AllocationMap*>();
    QVERIFY(map && map->job());
    QCOMPARE(map->cells().size(), uint64_t{device_size});
    QCOMPARE(map->job()->written, uint64_t{image_size});
    QCOMPARE(map->job()->verified, uint64_t{image_size});
    QCOMPARE(map->job()->ends, uint64_t{image_size});
  }

  void whatAJobLeftIsNotShownOfADeviceInUse() {
    QVERIFY(begin_writing());
    QVERIFY(says(*window_, u"Verified: 16.8\u00a0MB read back"_s));
    show_device();
    QVERIFY(show_page(u"Contents"_s));
    auto* page = window_->findChild<DeviceContentsPage*>();
    QVERIFY(page);
    const auto* map = page->findChild<AllocationMap*>();
    QVERIFY(map && map->job());
    auto mounted = std::make_shared<Device>(*device());
    mounted->usage.in_use = true;
    page->set_device(mounted);
    QVERIFY(!map->job());
  }

  void cancelledInEachPhase_data() {
    QTest::addColumn<int>("held");
    QTest::addColumn<int>("phase");
    QTest::addColumn<QString>("warned");
    QTest::addColumn<QString>("left");
    QTest::newRow("write") << int(Request::write) << int(Phase::write)
                           << u"If cancelled now, Loop device is incomplete: its first "_s
                           << u"Loop device is incomplete: part of it is new, the rest is old."_s;
    QTest::newRow("flush") << int(Request::sync) << int(Phase::flush)
                           << u"If cancelled now, Loop device is incomplete"_s
                           << u"Loop device is incomplete: part of it is new, the rest is old."_s;
    QTest::newRow("verify") << int(Request::read) << int(Phase::verify)
                            << u"If cancelled now, everything is written and flushed, but "_s
                            << u"All of it is written to Loop device and flushed, but was not read back to the end."_s;
  }
  void cancelledInEachPhase() {
    QFETCH(int, held);
    QFETCH(int, phase);
    QFETCH(QString, warned);
    QFETCH(QString, left);
    QVERIFY(confirm_writing());
    disk_->hold(static_cast<Request>(held));
    QVERIFY(press_overwrite());
    const QueuedJob* job = window_->queue().jobs().last();
    const auto there = [&] { return job->worker()->progress().phase == static_cast<Phase>(phase) && disk_->holds(); };
    QVERIFY2(QTest::qWaitFor(there, patience_ms), qPrintable(said(*window_)));
    QVERIFY(says(*window_, warned));
    QVERIFY(click(*window_, u"Cancel"_s));
    QTest::qWait(100);
    disk_->release();
    QVERIFY(says(*window_, u"Failed: cancelled."_s));
    QVERIFY(says(*window_, left));
    QVERIFY(button(*window_, u"Try Again…"_s));
    QVERIFY(!button(*window_, u"Eject"_s));
  }

  void aDeviceThatForgetsIsFoundOut() {
    disk_->lie_at(5 * mebibyte + 17);
    QVERIFY(begin_writing());
    QVERIFY(says(*window_, u"Differs at byte 5,242,897"_s));
    QVERIFY(says(*window_, u"Loop device returned other bytes than were written. Do not use its contents."_s));
    QVERIFY(button(*window_, u"Compare"_s));
    QVERIFY(button(*window_, u"Save Report…"_s));
  }
  void aDeviceThatFailsSaysWhere() {
    QVERIFY(confirm_writing());
    disk_->fail(Request::write, EIO);
    QVERIFY(press_overwrite());
    QVERIFY(says(*window_, u"Failed: Loop device failed at byte "_s));
    QVERIFY(says(*window_, u"The medium or its connection may be failing. Try another port or cable."_s));
    QVERIFY(says(*window_, u"Loop device is incomplete"_s));
  }

  void unpluggedWhileChoosingTheChoiceIsGone() {
    ConvertDialog* dialog = choose();
    QVERIFY(dialog);
    QVERIFY(dialog->device());
    pull_out();
    QVERIFY(says(*dialog, u"Loop device is not there any more, or is in use now. Choose again."_s));
    QVERIFY(!dialog->device());
    QVERIFY(!button(*dialog, u"Continue…"_s)->isEnabled());
  }
  void unpluggedWhileShownItsPageSaysSo() {
    show_device();
    QVERIFY(says(*window_, loop_caption()));
    pull_out();
    QVERIFY(says(*window_, u"Loop device was unplugged. What is shown is from before."_s));
    QVERIFY(says(*window_, loop_caption()));  // no other device took its place
  }
  void unpluggedWhileConfirmingNothingIsWritten() {
    EraseDialog* dialog = confirm_writing();
    QVERIFY(dialog);
    pull_out();
    QVERIFY(says(*dialog, u"Loop device was unplugged. Nothing was written."_s));
    QVERIFY(!dialog->findChild<DangerButton*>()->isEnabled());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(window_->queue().jobs().isEmpty());
  }
  // Between the click and the opening, before the window heard of it.
  void unpluggedWithTheClickNothingIsWritten() {
    EraseDialog* dialog = confirm_writing();
    QVERIFY(dialog);
    std::filesystem::resize_file(disk_->path(), 0);
    loop_->follow_size();
    QTest::mouseClick(dialog->findChild<DangerButton*>(), Qt::LeftButton);
    QVERIFY(says(*window_, u"Failed: Loop device was unplugged or went away."_s));
    QVERIFY(says(*window_, u"Nothing was written to Loop device. Check the cable, then choose the device again."_s));
    QVERIFY(click(*window_, u"Choose Another…"_s));
    ConvertDialog* again = drive::dialog<ConvertDialog>(*window_);
    QVERIFY(again && !again->device());
  }
  void unpluggedWhileWritingTheRestIsSaid() {
    QVERIFY(confirm_writing());
    disk_->hold(Request::write);
    QVERIFY(press_overwrite());
    const QueuedJob* job = window_->queue().jobs().last();
    const auto there = [&] { return job->worker()->progress().phase == Phase::write && disk_->holds(); };
    QVERIFY(QTest::qWaitFor(there, patience_ms));
    disk_->fail(Request::write, ENODEV);
    disk_->release();
    pull_out();
    QVERIFY(says(*window_, u"Failed: Loop device was unplugged at "_s));
    QVERIFY(says(*window_, u"Loop device is incomplete: part of it is new, the rest is old. Check the cable"_s));
    QVERIFY(click(*window_, u"Choose Another…"_s));  // no blind repetition
    ConvertDialog* again = drive::dialog<ConvertDialog>(*window_);
    QVERIFY(again && !again->device());
  }

  void aSecondJobForTheDeviceWaitsAndSaysForWhat() {
    QVERIFY(confirm_writing());
    disk_->hold(Request::write);
    QVERIFY(press_overwrite());
    QueuedJob* first = window_->queue().jobs().last();
    QVERIFY(QTest::qWaitFor([&] { return disk_->holds(); }, patience_ms));
    QueuedJob* second = window_->queue().add(first->request());
    QCOMPARE(second->state(), QueuedJob::State::waiting);
    QVERIFY(says(*window_, u"Waiting: %1 is busy. Starts after a.raw → Loop device (%1)."_s.arg(text(loop_->name()))));
    disk_->release();
    QVERIFY(QTest::qWaitFor([&] { return second->state() == QueuedJob::State::ended; }, patience_ms));
    QVERIFY(first->result()->good());
    QVERIFY2(second->result()->good(), qPrintable(said(*window_)));
  }
  void whoHasTheDeviceIsNamed() {
    QCOMPARE(test::run_program({"mkfs.ext4", "-q", loop_->path()}).status, 0);
    const std::string point = folder_->file("mounted");
    std::filesystem::create_directory(point);
    QCOMPARE(test::run_program({"mount", loop_->path(), point}).status, 0);
    const auto unmount = qScopeGuard([&] { test::run_program({"umount", point}); });
    show_device();
    QVERIFY(says(*window_, u"Mounted at %1. Unmount it before writing."_s.arg(text(point))));
    QVERIFY(button(*window_, u"Unmount"_s));
    ConvertDialog* dialog = open_convert_dialog();
    QVERIFY(dialog);
    dialog->choose_device(device());
    QVERIFY(!dialog->device());
    QVERIFY(!button(*dialog, u"Continue…"_s)->isEnabled());
  }
  void tooSmallADeviceSaysByHowMuch() {
    const std::string small = folder_->file("small");
    test::write_file(small, std::string(4 * mebibyte, '\0'));
    const auto loop = test::LoopDevice::attach(small, 512);
    QVERIFY(loop);
    QVERIFY(QTest::qWaitFor([&] { return device(loop->path()) != nullptr; }, patience_ms));
    ConvertDialog* dialog = open_convert_dialog();
    QVERIFY(dialog);
    const DevicePtr found = device(loop->path());
    dialog->choose_device(found);
    QVERIFY(!dialog->device());
    QString why;
    for (const QListView* list : dialog->findChildren<QListView*>())
      for (int row = 0; list->isVisible() && row < list->model()->rowCount(); ++row)
        if (list->model()->index(row, 0).data(Qt::ToolTipRole).toString().contains(u"12,582,912"))
          why = list->model()->index(row, 0).data(Qt::AccessibleDescriptionRole).toString();
    QCOMPARE(why, u"Image needs 12,582,912\u00a0bytes more."_s);
  }

  void zeroingIsConfirmedAndReadBack() {
    QVERIFY(begin_writing());
    QVERIFY(says(*window_, u"Verified: "_s));
    show_device();
    QVERIFY(show_page(u"Zero"_s));
    QVERIFY(says(*window_, u"This is not secure erase"_s));
    QVERIFY(click(*window_, u"Zero…"_s));
    EraseDialog* dialog = drive::dialog<EraseDialog>(*window_);
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<DangerButton*>(), Qt::LeftButton);
    QVERIFY(says(*window_, u"Verified: 33.6\u00a0MB read back"_s));
    for (const char byte : disk_->content()) QVERIFY(byte == 0);
  }
  void sweepingReadsAndShowsThePlot() {
    show_device();
    QVERIFY(show_page(u"Sweep"_s));
    QVERIFY(says(*window_, u"Writes nothing."_s));
    const auto before = disk_->content();
    QVERIFY(click(*window_, u"Run"_s));
    QVERIFY(says(*window_, u"the request size to use"_s));
    QVERIFY(button(*window_, u"Run Again"_s));
    QVERIFY(disk_->content() == before);
  }

 private:
  std::string image() const { return folder_->file("a.raw"); }
  void plug_in() {
    disk_ = test::ServedFile::mount(folder_->path(), device_size);
    if (disk_) loop_ = test::LoopDevice::attach(disk_->path(), 512);
  }
  // As a stick that is pulled out: its bytes are gone, and the kernel tells.
  void pull_out() {
    std::filesystem::resize_file(disk_->path(), 0);
    loop_->follow_size();
    test::write_file("/sys/block/" + loop_->name() + "/uevent", "change");
  }
  DevicePtr device(const std::string& node) const {
    for (const DevicePtr& one : window_->devices().devices())
      if (one->disk.node == node) return one;
    return nullptr;
  }
  QString loop_caption() const { return text(loop_->name() + " · "); }
  DevicePtr device() const { return device(loop_->path()); }
  void show_device() {
    auto* list = window_->findChildren<SideList*>().first();
    for (int row = 0; row < window_->devices().rowCount(); ++row)
      if (window_->devices().at(row)->disk.node == loop_->path()) list->setCurrentIndex(window_->devices().index(row));
  }
  bool show_page(const QString& title) const {
    for (auto* tabs : window_->findChildren<QTabBar*>())
      for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab)
        if (tabs->tabText(tab).remove(u'&') == title) return tabs->setCurrentIndex(tab), true;
    return false;
  }
  ConvertDialog* open_convert_dialog() {
    auto* images = window_->findChildren<SideList*>().last();
    images->setCurrentIndex({});
    images->setCurrentIndex(images->model()->index(0, 0));
    if (!click(*window_, u"Write to Device…"_s)) return nullptr;
    return drive::dialog<ConvertDialog>(*window_);
  }
  // The convert dialog with the device chosen by a click on its row.
  ConvertDialog* choose() {
    ConvertDialog* dialog = open_convert_dialog();
    if (!dialog) return nullptr;
    // Others come and go while other tests run: only this one, or none.
    const auto chosen = [&] { return dialog->device() && dialog->device()->disk.node == loop_->path(); };
    for (auto* list : dialog->findChildren<QListView*>()) {
      if (!list->isVisible() || list->accessibleName() != u"Devices to write to") continue;
      for (int attempt = 0; attempt < 5 && !chosen(); ++attempt) {
        list->doItemsLayout();
        for (int row = 0; row < list->model()->rowCount(); ++row) {
          if (window_->devices().at(row)->disk.node != loop_->path()) continue;
          const QModelIndex index = list->model()->index(row, 0);
          list->scrollTo(index);
          QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
        }
      }
    }
    return chosen() ? dialog : nullptr;
  }
  EraseDialog* confirm_writing() {
    const ConvertDialog* dialog = choose();
    if (!dialog || !click(*dialog, u"Continue…"_s)) return nullptr;
    auto* erase = drive::dialog<EraseDialog>(*window_);
    return erase && said(*erase).contains(text(loop_->name() + " · ")) ? erase : nullptr;
  }
  bool press_overwrite() const {
    const auto* dialog = drive::dialog<EraseDialog>(*window_);
    return dialog && click(*dialog, u"Overwrite 33.6\u00a0MB"_s);
  }
  bool begin_writing() { return confirm_writing() && press_overwrite(); }

  std::unique_ptr<test::TempDir> folder_;
  std::string content_;
  std::unique_ptr<test::ServedFile> disk_;
  std::unique_ptr<test::LoopDevice> loop_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(DeviceWriteTest)
#include "device_write_test.moc"
