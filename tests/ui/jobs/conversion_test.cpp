// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 120
//
// From a file dropped on the window to a verified one beside it, with real workers.
#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/words/result_words.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience_ms = 30'000;

QString text(const std::string& from) { return QString::fromStdString(from); }

// A qcow2 of `size` bytes with data in its first megabytes.
void make_image(const std::string& path, const std::string& size) {
  QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", path, size}).status, 0);
  QCOMPARE(
      test::run_program({"qemu-io", "-f", "qcow2", "-c", "write -P 0x5a 0 3M", "-c", "write -z 8M 1M", path}).status,
      0);
}

void drop(QWidget& on, const QString& path) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter(on.rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&on, &enter);  // Qt drops only on what was entered
  QDropEvent event(QPointF(on.width() / 2.0, on.height() / 2.0), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&on, &event);
}

JobRequest to_raw(const test::TempDir& folder, bool verify = false) {
  JobRequest request{.work = job::Convert{.format = "raw", .target_is_zero = true, .verify = verify},
                     .source = text(folder.file("a.qcow2"))};
  request.target = text(folder.file("a.raw"));
  return request;
}

bool wait_for(const QueuedJob& job) {
  return QTest::qWaitFor([&] { return job.state() == QueuedJob::State::ended; }, patience_ms);
}

}  // namespace

class ConversionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
  }
  void aDroppedImageIsInspectedByAWorker() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "64M");
    MainWindow window;
    window.show();
    drop(window, text(folder.file("a.qcow2")));
    QCOMPARE(window.images().rowCount(), 1);
    const ImagePtr image = window.images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms));
    QCOMPARE(image->format(), u"qcow2"_s);
    QCOMPARE(image->virtual_size(), uint64_t{64} << 20);
    QCOMPARE(image->cells().total(ContentKind::data), uint64_t{3} << 20);
  }
  void aDroppedImageBecomesAVerifiedRawFile() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "64M");
    MainWindow window;
    window.show();
    drop(window, text(folder.file("a.qcow2")));
    const JobRequest request = to_raw(folder, true);
    QueuedJob* queued = window.queue().add(request);
    QVERIFY(wait_for(*queued));
    QCOMPARE(ResultWords::sentence(*queued->result()), u"Verified: 67.1\u00a0MB read back"_s);
    QCOMPARE(test::run_program({"qemu-img", "compare", folder.file("a.qcow2"), folder.file("a.raw")}).status, 0);
  }
  void withoutVerifyingItSaysSo() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "16M");
    JobQueue queue;
    const JobRequest request = to_raw(folder);
    QueuedJob* queued = queue.add(request);
    QVERIFY(wait_for(*queued));
    QCOMPARE(ResultWords::sentence(*queued->result()), u"Written, not verified"_s);
  }
  void aBackingFileIsOpenedOnlyOnceAllowed() {
    const test::TempDir folder;
    make_image(folder.file("base.qcow2"), "16M");
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", "-b", "base.qcow2", "-F", "qcow2",
                                folder.file("top.qcow2")})
                 .status,
             0);
    OpenImage image(text(folder.file("top.qcow2")));
    image.inspect();
    QVERIFY(QTest::qWaitFor([&] { return !image.references_to_allow().isEmpty(); }, patience_ms));
    QCOMPARE(image.references_to_allow().first().path, text(folder.file("base.qcow2")));
    QVERIFY(!image.map_complete());
    image.allow(text(folder.file("base.qcow2")));
    QVERIFY(QTest::qWaitFor([&] { return image.map_complete(); }, patience_ms));
    QCOMPARE(image.layers().size(), size_t{2});
    QCOMPARE(image.cells().total(ContentKind::backing), uint64_t{3} << 20);
  }
  void aBrokenImageSaysWhereAndLeavesNothing() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "16M");
    QFile file(text(folder.file("a.qcow2")));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.resize(200'000));
    file.close();
    JobQueue queue;
    const JobRequest request = to_raw(folder);
    QueuedJob* queued = queue.add(request);
    QVERIFY(wait_for(*queued));
    QVERIFY(ResultWords::sentence(*queued->result()).startsWith(u"Failed: "));
    QVERIFY(!QFile::exists(text(folder.file("a.raw"))));
  }
  void stoppedItLeavesNothing() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "16M");
    JobQueue queue;
    const JobRequest request = to_raw(folder);
    QueuedJob* queued = queue.add(request);
    queued->stop();
    QVERIFY(wait_for(*queued));
    QVERIFY(queued->result()->stopped());
    QVERIFY(!QFile::exists(text(folder.file("a.raw"))));
  }
  void twoJobsForOneTargetTakeTurns() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "16M");
    JobQueue queue;
    const JobRequest request = to_raw(folder);
    QueuedJob* first = queue.add(request);
    QueuedJob* second = queue.add(request);
    QCOMPARE(first->state(), QueuedJob::State::running);
    QCOMPARE(second->state(), QueuedJob::State::waiting);
    QVERIFY(second->why_waiting().contains(u"a.raw is busy"));
    QVERIFY(wait_for(*second));
    QVERIFY(second->result()->good());
  }
  void comparingSaysTheFirstDifference() {
    const test::TempDir folder;
    make_image(folder.file("a.qcow2"), "16M");
    make_image(folder.file("b.qcow2"), "16M");
    QCOMPARE(test::run_program({"qemu-io", "-f", "qcow2", "-c", "write -P 1 5M 512", folder.file("b.qcow2")}).status,
             0);
    JobQueue queue;
    QueuedJob* queued = queue.add(
        {.work = job::Compare{}, .source = text(folder.file("a.qcow2")), .other = text(folder.file("b.qcow2"))});
    QVERIFY(wait_for(*queued));
    QVERIFY(queued->result()->good());
    QCOMPARE(std::get<job::Compared>(*queued->result()->outcome).differs_at, std::optional<uint64_t>(5 << 20));
  }
};

QTEST_MAIN(ConversionTest)
#include "conversion_test.moc"
