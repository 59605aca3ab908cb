// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/limit_report.h"

#include <unistd.h>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zram_device.h"

using namespace disklathe;

namespace {

Limit of(uint64_t value) { return {.value = value, .source = LimitSource::sysfs}; }

Limits good() {
  Limits limits;
  limits.logical_block = of(512);
  limits.physical_block = 4096;
  limits.minimum_io = of(4096);
  limits.max_transfer = of(1 << 20);
  limits.max_hw_transfer = of(1 << 22);
  return limits;
}

std::vector<Partition> partition_at(uint64_t start) {
  Partition partition;
  partition.name = "sda1";
  partition.start = start;
  return {partition};
}

QString findings_of(const std::vector<LimitFinding>& findings) {
  std::string text;
  for (const LimitFinding& finding : findings) text += std::string(name_of(finding.kind)) + " ";
  return QString::fromStdString(text);
}

QString judged(const Limits& reported, const std::vector<Partition>& partitions = {}) {
  Limits used = reported;
  replace_absurd(used);
  return findings_of(judge_limits(reported, used, partitions));
}

}  // namespace

class LimitReportTest : public QObject {
  Q_OBJECT

 private slots:
  void whatFitsTogetherIsNotFlagged() { QCOMPARE(judged(good(), partition_at(1 << 20)), QString()); }

  void notReportedIsNotFlagged() {
    Limits limits = good();
    limits.minimum_io = limits.max_transfer = limits.max_hw_transfer = {};
    QCOMPARE(judged(limits), QString());
  }

  void contradictionsAreFlagged_data() {
    QTest::addColumn<QString>("what");
    for (const char* what :
         {"absurd-optimal-io", "absurd-physical-block", "absurd-logical-block", "transfer-above-hardware",
          "misaligned-device", "misaligned-partition", "partition-off-optimal"})
      QTest::newRow(what) << QString::fromLatin1(what);
  }

  void contradictionsAreFlagged() {
    QFETCH(const QString, what);
    Limits limits = good();
    uint64_t start = 1 << 20;
    if (what == u"absurd-optimal-io") limits.optimal_io = of(33553920);  // 65535 sectors: USB bridges
    if (what == u"absurd-physical-block") limits.physical_block = 3000;
    if (what == u"absurd-logical-block") limits.logical_block = of(520);
    if (what == u"transfer-above-hardware") limits.max_transfer = of(1 << 23);
    if (what == u"misaligned-device") {
      limits.alignment_offset = of(3584);
      start += 3584;
    }
    if (what == u"misaligned-partition") start = 63 * 512;
    if (what == u"partition-off-optimal") limits.optimal_io = of(1536 << 10);
    QCOMPARE(judged(limits, partition_at(start)), what + u' ');
  }

  void fileHasTheLimitsOfItsDevice() {
    const test::TempDir folder;
    test::write_file(folder.file("x"), "some bytes");
    const auto report = report_limits(folder.file("x"));
    QVERIFY(report);
    QVERIFY(!report->is_device);
    QCOMPARE(report->size, 10ULL);
    QVERIFY(!report->reported.max_discard.value);  // its file system's business
  }

  void whatHasNoLimitsIsRefused() {
    QCOMPARE(report_limits("/nowhere").error().kind, ErrorKind::not_found);
    QCOMPARE(report_limits("/dev").error().kind, ErrorKind::invalid);
    QCOMPARE(report_limits("/dev/null").error().kind, ErrorKind::invalid);
  }

  void zramSaysWhatItIs() {
    std::string why_not;
    const auto zram = test::ZramDevice::create(1 << 20, why_not);
    if (!zram) QSKIP(why_not.c_str());
    const auto report = report_limits(zram->node());
    QVERIFY(report && report->is_device && report->opened);
    QCOMPARE(report->size, 1ULL << 20);
    QCOMPARE(report->reported.logical_block.value, std::optional<uint64_t>(4096));
    QCOMPARE(report->reported.kernel_splits, std::optional<bool>(false));
    QCOMPARE(findings_of(report->findings), QString());
  }

  void tableOfOtherSectorsIsFlagged_data() {
    QTest::addColumn<unsigned>("made");
    QTest::addColumn<unsigned>("device");
    QTest::addColumn<QString>("found");
    QTest::newRow("512 on 512") << 512U << 512U << QString();
    QTest::newRow("4096 on 4096") << 4096U << 4096U << QString();
    QTest::newRow("512 on 4096") << 512U << 4096U << "table-for-512 ";
    QTest::newRow("4096 on 512") << 4096U << 512U << "table-for-4096 ";
  }

  void tableOfOtherSectorsIsFlagged() {
    QFETCH(const unsigned, made);
    QFETCH(const unsigned, device);
    QFETCH(const QString, found);
    const test::TempDir folder;
    test::write_file(folder.file("disk"), "");
    QVERIFY(truncate(folder.file("disk").c_str(), 16 << 20) == 0);
    {
      const auto loop = test::LoopDevice::attach(folder.file("disk"), made);
      if (!loop) QSKIP(test::LoopDevice::why_not());
      const auto table =
          test::run_program({"sh", "-c", "echo label: gpt | sfdisk -q --no-tell-kernel $0", loop->path()});
      QCOMPARE(table.errors, std::string());
    }
    const auto loop = test::LoopDevice::attach(folder.file("disk"), device);
    QVERIFY(loop);
    const auto report = report_limits(loop->path());
    QVERIFY(report);
    QCOMPARE(findings_of(report->findings), found);
  }
};

QTEST_GUILESS_MAIN(LimitReportTest)
#include "limit_report_test.moc"
