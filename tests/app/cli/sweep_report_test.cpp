// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/sweep_report.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.h"

using namespace disklathe;
using namespace disklathe::cli;

namespace {

SweepPoint point(uint64_t size, double rate) {
  return {.size = size,
          .requests = 1000,
          .seconds = 1.5,
          .rate = rate,
          .p50 = std::chrono::microseconds(20),
          .p99 = std::chrono::microseconds(1500),
          .user_seconds = 0.25,
          .system_seconds = 0.5};
}

SweepReport example() {
  return {.target = "/dev/sdx",
          .write = true,
          .depth = 4,
          .area = 1 << 30,
          .points = {point(1 << 20, 200e6), point(2 << 20, 172e6), point(4 << 20, 140e6)}};
}

QString text(const std::string& from) { return QString::fromStdString(from); }

}  // namespace

class SweepReportTest : public QObject {
  Q_OBJECT

 private slots:
  void whatWasSavedIsReadBackTheSame() {
    const test::TempDir folder(test::TempDir::Where::memory);
    const SweepReport saved = example();
    test::write_file(folder.file("a.json"), json_of(saved).dump());
    const auto read = read_sweep(folder.file("a.json"));
    QVERIFY(read);
    QCOMPARE(read->target, saved.target);
    QCOMPARE(read->write, true);
    QCOMPARE(read->depth, 4U);
    QCOMPARE(table_of(*read), table_of(saved));
    QCOMPARE(csv_of(*read), csv_of(saved));
  }

  void whatIsNoSavedSweepIsSaid() {
    const test::TempDir folder(test::TempDir::Where::memory);
    const std::string good = json_of(example()).dump();
    const auto changed = [&](const char* from, const char* to) { return text(good).replace(from, to).toStdString(); };
    for (const std::string& bad :
         {std::string(), std::string("{}"), std::string("[1]"), good.substr(0, good.size() / 2),
          changed("disklathe-sweep", "another"), changed("\"size\":1048576", "\"size\":0"),
          changed("\"size\":1048576", "\"size\":-1"), changed("\"requests\":1000", "\"requests\":\"x\""),
          changed("\"mode\":\"write\"", "\"mode\":7"), std::string(2 << 20, ' ')}) {
      test::write_file(folder.file("bad.json"), bad);
      const auto read = read_sweep(folder.file("bad.json"));
      QVERIFY2(!read, bad.substr(0, 80).c_str());
      QCOMPARE(read.error().kind, ErrorKind::corrupt);
    }
  }

  void theTableShowsTheKneeAndWhatLargerRequestsLose() {
    const QString table = text(table_of(example()));
    QVERIFY(table.contains(QRegularExpression("1 MiB +200\\.0 +191 +20 us +1\\.5 ms +0\\.75 +0\\.715\n")));
    QVERIFY(table.contains("knee: 1 MiB, the fastest"));
    QVERIFY(table.contains("4 MiB requests are 30 % slower than 1 MiB"));
  }

  void twoRunsAreComparedSizeBySize() {
    SweepReport second = example();
    second.points[0].rate = 250e6;
    second.points.pop_back();
    const QString table = text(comparison_of(example(), second));
    QVERIFY(table.contains(QRegularExpression("1 MiB +200\\.0 +250\\.0 +\\+25\\.0 %")));
    QVERIFY(table.contains("2 MiB"));
    QVERIFY(!table.contains("4 MiB"));
  }
};

QTEST_GUILESS_MAIN(SweepReportTest)
#include "sweep_report_test.moc"
