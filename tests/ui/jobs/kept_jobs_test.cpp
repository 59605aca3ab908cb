// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 120
//
// Jobs that outlive their window: one queue is dropped with them running, as when its process ends, and another takes
// them in.
#include <QtWidgets>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "ui/jobs/job_queue.h"
#include "ui/jobs/kept_jobs.h"
#include "ui/words/result_words.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience_ms = 30'000;
constexpr uint64_t size = 200 << 20;

}  // namespace

class KeptJobsTest : public QObject {
  Q_OBJECT

  // Held in the middle, kept, and left.
  void begin_and_leave(const JobRequest& request) {
    JobQueue queue;
    QueuedJob* job = queue.add(request);
    QVERIFY(QTest::qWaitFor(
        [&] {
          job->worker()->set_paused(true);
          return job->paused() || job->result();
        },
        patience_ms));
    QVERIFY2(!job->result(), job->result() ? qPrintable(ResultWords::sentence(*job->result())) : "");
    ran_ = job->worker()->progress().seconds;
    queue.keep_all();
  }
  // Taken in, still held, and let go on to its end.
  void take_in_and_end(JobQueue& queue, KeptJobs& kept) {
    kept.find();
    QVERIFY(QTest::qWaitFor([&] { return !queue.jobs().isEmpty() && queue.jobs().first()->paused(); }, patience_ms));
    QueuedJob& job = *queue.jobs().first();
    QCOMPARE(job.state(), QueuedJob::State::running);
    job.worker()->set_paused(false);
    QVERIFY(QTest::qWaitFor([&] { return job.state() == QueuedJob::State::ended; }, patience_ms));
    // Of all of it: preparing and writing began under the window before.
    const ProgressMeter& meter = job.worker()->meter();
    QVERIFY(job.worker()->progress().seconds >= ran_);
    QVERIFY(meter.took(Phase::prepare) && meter.took(Phase::write) && meter.took(Phase::verify));
    const double phases = *meter.took(Phase::prepare) + *meter.took(Phase::write) + *meter.took(Phase::flush) +
                          *meter.took(Phase::verify);
    QVERIFY(std::abs(job.worker()->progress().seconds - phases) < 0.1);
  }
  double ran_ = 0;

  test::TempDir runtime_{test::TempDir::Where::memory};

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_RUNTIME_DIR", runtime_.path().c_str());
  }
  void aConversionIsTakenInAndItsFileGetsItsName() {
    const test::TempDir folder(test::TempDir::Where::memory);
    QFile source(QString::fromStdString(folder.file("source")));
    QVERIFY(source.open(QIODevice::WriteOnly) && source.write("begin") == 5 && source.resize(size));
    source.close();
    JobRequest request{
        .work = job::Convert{.source_format = "raw", .target_is_zero = true, .sparse_size = 0, .verify = true},
        .source = source.fileName()};
    request.target = QString::fromStdString(folder.file("target"));
    begin_and_leave(request);
    QVERIFY(!QFile::exists(request.target));
    JobQueue queue;
    KeptJobs kept(queue);
    take_in_and_end(queue, kept);
    QVERIFY(!queue.jobs().isEmpty());
    QueuedJob& job = *queue.jobs().first();
    QCOMPARE(job.request().source, request.source);
    QCOMPARE(ResultWords::sentence(*job.result()), u"Verified: 209.7\u00a0MB read back"_s);
    QCOMPARE(test::run_program({"cmp", folder.file("source"), folder.file("target")}).status, 0);
    // Nothing is left to be taken in again.
    JobQueue next;
    KeptJobs again(next);
    again.find();
    QTest::qWait(200);
    QVERIFY(next.jobs().isEmpty());
  }
  void aDeviceIsKnownAgain() {
    const test::TempDir folder;
    QFile disk(QString::fromStdString(folder.file("disk")));
    QVERIFY(disk.open(QIODevice::WriteOnly) && disk.resize(2 * size));
    disk.close();
    const auto loop = test::LoopDevice::attach(folder.file("disk"), 512);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    QFile source(QString::fromStdString(folder.file("source")));
    QVERIFY(source.open(QIODevice::WriteOnly) && source.write("begin") == 5 && source.resize(size));
    source.close();
    auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    JobRequest request{.work = job::Convert{.source_format = "raw", .existing = true, .sparse_size = 0, .verify = true},
                       .source = source.fileName()};
    request.target = QString::fromStdString(loop->path());
    request.device = std::make_shared<ChosenDevice>(std::move(*chosen));
    begin_and_leave(request);
    JobQueue queue;
    KeptJobs kept(queue);
    take_in_and_end(queue, kept);
    QVERIFY(!queue.jobs().isEmpty());
    QueuedJob& job = *queue.jobs().first();
    QVERIFY(job.request().device && job.request().device->whole());
    QCOMPARE(ResultWords::sentence(*job.result()), u"Verified: 209.7\u00a0MB read back"_s);
  }
};

QTEST_MAIN(KeptJobsTest)
#include "kept_jobs_test.moc"
