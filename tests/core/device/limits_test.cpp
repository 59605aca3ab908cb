// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <QTest>

#include "tests/support/temp_dir.h"

using namespace disklathe;

namespace {

Limits reported(uint64_t logical, uint32_t physical, std::optional<uint64_t> minimum, std::optional<uint64_t> optimal) {
  Limits limits;
  limits.logical_block = {.value = logical, .source = LimitSource::ioctl};
  limits.physical_block = physical;
  limits.minimum_io = {.value = minimum, .source = LimitSource::sysfs};
  limits.optimal_io = {.value = optimal, .source = LimitSource::sysfs};
  replace_absurd(limits);
  return limits;
}

}  // namespace

class LimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void whatMakesSenseStays() {
    const Limits limits = reported(512, 4096, 4096, 1 << 20);
    QCOMPARE(limits.logical_block.value, std::optional<uint64_t>(512));
    QCOMPARE(limits.physical_block, 4096U);
    QCOMPARE(limits.minimum_io.source, LimitSource::sysfs);
    QCOMPARE(limits.optimal_io.value, std::optional<uint64_t>(1 << 20));
    QCOMPARE(limits.optimal_io.source, LimitSource::sysfs);
  }

  void notReportedStaysNotReported() {
    const Limits limits = reported(512, 512, std::nullopt, std::nullopt);
    QVERIFY(!limits.optimal_io.value);
    QVERIFY(!limits.minimum_io.value);
    QCOMPARE(limits.optimal_io.source, LimitSource::sysfs);
  }

  void anOptimalSizeOffThePhysicalBlockIsReplaced() {
    const Limits limits = reported(512, 4096, 512, 65535 * 512);  // USB bridges
    QCOMPARE(limits.optimal_io.value, std::optional<uint64_t>(4096));
    QCOMPARE(limits.optimal_io.source, LimitSource::assumed);
  }

  void anOptimalSizeOfGigabytesIsReplaced() {
    QCOMPARE(reported(512, 512, 512, uint64_t{4} << 30).optimal_io.source, LimitSource::assumed);
  }

  void blockSizesAreBlockSizes() {
    QCOMPARE(reported(513, 512, {}, {}).logical_block.value, std::optional<uint64_t>(4096));
    QCOMPARE(reported(513, 512, {}, {}).logical_block.source, LimitSource::assumed);
    QCOMPARE(reported(4096, 512, {}, {}).physical_block, 4096U);
    QCOMPARE(reported(512, 0, {}, {}).physical_block, 4096U);
    QCOMPARE(reported(512, 1U << 31, {}, {}).physical_block, 4096U);
  }

  void aFileOnDiskKnowsItsAlignment() {
    const test::TempDir dir;
    test::write_file(dir.file("a"), "a");
    const int fd = open(dir.file("a").c_str(), O_RDONLY | O_CLOEXEC);
    const auto alignment = direct_alignment(fd);
    const Limits limits = read_limits(fd);
    close(fd);
    if (!alignment) QSKIP("no direct I/O where temporary files are");
    QVERIFY(alignment->offset >= 512 && alignment->offset <= 65536);
    QVERIFY(alignment->memory >= 1 && alignment->memory <= 65536);
    QCOMPARE(limits.offset_align, 1U);
    QCOMPARE(limits.min_mem_align, 1U);
    QVERIFY(!limits.max_discard.value);  // the file system's business
  }

  void sourcesHaveNames() {
    QCOMPARE(name_of(LimitSource::statx), std::string_view("statx"));
    QCOMPARE(name_of(LimitSource::assumed), std::string_view("assumed"));
  }
};

QTEST_GUILESS_MAIN(LimitsTest)
#include "limits_test.moc"
