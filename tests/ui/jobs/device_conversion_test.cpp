// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 120
//
// Onto a device, through the confirmation: a loop device, so as root.
#include <fcntl.h>

#include <QtWidgets>

#include <QTest>

#include "core/device/descriptor.h"
#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "ui/controls/buttons.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/flows/conversion_flow.h"
#include "ui/jobs/job_queue.h"
#include "ui/words/result_words.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience_ms = 30'000;
constexpr uint64_t device_size = 64 << 20, image_size = 16 << 20;

}  // namespace

class DeviceConversionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
  }
  void init() {
    folder_ = std::make_unique<test::TempDir>();
    image_ = folder_->file("a.qcow2");
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", image_, std::to_string(image_size)}).status,
             0);
    QCOMPARE(test::run_program({"qemu-io", "-f", "qcow2", "-c", "write -q -P 0x5a 0 3M", image_}).status, 0);
    window_ = std::make_unique<QWidget>();
    queue_ = std::make_unique<JobQueue>();
    devices_ = std::make_unique<DeviceModel>();
    flow_ = new ConversionFlow(*devices_, *queue_, *window_);
    window_->show();
  }
  void cleanup() {
    window_.reset();
    queue_.reset();
    devices_.reset();
  }
  void theConfirmedDeviceIsWrittenAndReadBack() {
    const auto loop = attach();
    if (!loop) QSKIP(test::LoopDevice::why_not());
    EraseDialog* dialog = ask(loop->path());
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<DangerButton*>(), Qt::LeftButton);
    QCOMPARE(queue_->jobs().size(), 1);
    QueuedJob& queued = *queue_->jobs().first();
    QVERIFY(QTest::qWaitFor([&] { return queued.state() == QueuedJob::State::ended; }, patience_ms));
    QCOMPARE(ResultWords::sentence(*queued.result()), u"Verified: 16.8\u00a0MB read back"_s);
    // Past the image's end the device is as it was: zeroes, as in a longer image.
    QCOMPARE(test::run_program({"qemu-img", "compare", "-f", "qcow2", "-F", "raw", image_, loop->path()}).status, 0);
  }
  void whatIsNotConfirmedIsNotWritten() {
    const auto loop = attach();
    if (!loop) QSKIP(test::LoopDevice::why_not());
    EraseDialog* dialog = ask(loop->path());
    QVERIFY(dialog);
    QTest::keyClick(dialog, Qt::Key_Return);
    QVERIFY(queue_->jobs().isEmpty());
  }
  // Between the yes and the opening another device took the name.
  void anotherDeviceUnderTheNameIsNotWritten() {
    const auto loop = attach();
    if (!loop) QSKIP(test::LoopDevice::why_not());
    auto taken = choose_device(loop->path());
    QVERIFY(taken.has_value());
    taken->identity.size += 512;
    JobRequest request{.work = job::Convert{.format = "raw", .existing = true},
                       .source = QString::fromStdString(image_)};
    request.target = QString::fromStdString(loop->path());
    request.device = std::make_shared<ChosenDevice>(std::move(*taken));
    QueuedJob* queued = queue_->add(request);
    QVERIFY(QTest::qWaitFor([&] { return queued->state() == QueuedJob::State::ended; }, patience_ms));
    QVERIFY(queued->result()->error);
    QCOMPARE(queued->result()->error->kind, ErrorKind::vanished);
  }
  void zeroingGoesTheSameWay() {
    const auto loop = attach();
    if (!loop) QSKIP(test::LoopDevice::why_not());
    flow_->confirm(QString::fromStdString(loop->path()), {.name = u"Zeroes"_s, .size = device_size},
                   {.work = job::Zero{.ranges = {{0, device_size}}}});
    EraseDialog* dialog = wait_for_dialog();
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<DangerButton*>(), Qt::LeftButton);
    QueuedJob& queued = *queue_->jobs().first();
    QVERIFY(QTest::qWaitFor([&] { return queued.state() == QueuedJob::State::ended; }, patience_ms));
    QVERIFY2(queued.result()->good(), qPrintable(ResultWords::sentence(*queued.result())));
  }

  // The worker too has let go of it: the next job may be about the same device.
  void aJobThatHasEndedHoldsTheDeviceNoMore() {
    const auto loop = attach();
    if (!loop) QSKIP(test::LoopDevice::why_not());
    auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    JobRequest request{.work = job::Zero{.ranges = {{0, 1 << 20}}}};
    request.target = QString::fromStdString(loop->path());
    request.device = std::make_shared<ChosenDevice>(std::move(*chosen));
    int claimed = 0;
    connect(queue_.get(), &JobQueue::ended, this, [&] {
      const Descriptor device(open(loop->path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
      if (device.open()) ++claimed;
    });
    constexpr int jobs = 10;
    for (int i = 0; i < jobs; ++i) {
      const QueuedJob* job = queue_->add(request);
      QVERIFY(QTest::qWaitFor([&] { return job->state() == QueuedJob::State::ended; }, patience_ms));
      QVERIFY2(job->result()->good(), qPrintable(ResultWords::sentence(*job->result())));
    }
    QCOMPARE(claimed, jobs);
  }

 private:
  std::unique_ptr<test::LoopDevice> attach() {
    QFile file(QString::fromStdString(folder_->file("disk")));
    if (!file.open(QIODevice::WriteOnly) || !file.resize(device_size)) return nullptr;
    file.close();
    return test::LoopDevice::attach(folder_->file("disk"), 512);
  }
  EraseDialog* wait_for_dialog() {
    EraseDialog* dialog = nullptr;
    (void)QTest::qWaitFor([&] { return (dialog = window_->findChild<EraseDialog*>()) != nullptr; }, patience_ms);
    return dialog;
  }
  EraseDialog* ask(const std::string& node) {
    JobRequest request{.work = job::Convert{.format = "raw", .existing = true},
                       .source = QString::fromStdString(image_)};
    flow_->confirm(QString::fromStdString(node), {.name = u"a.qcow2"_s, .size = image_size}, request);
    return wait_for_dialog();
  }

  std::unique_ptr<test::TempDir> folder_;
  std::string image_;
  std::unique_ptr<QWidget> window_;
  std::unique_ptr<JobQueue> queue_;
  std::unique_ptr<DeviceModel> devices_;
  ConversionFlow* flow_ = nullptr;
};

QTEST_MAIN(DeviceConversionTest)
#include "device_conversion_test.moc"
