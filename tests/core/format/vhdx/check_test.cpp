// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/check.h"

#include <QtTest>

#include "tests/support/memory_device.h"
#include "tests/support/vhdx_image.h"

using namespace disklathe;
using test::VhdxImage;
using vhdx::BlockState;

class VhdxCheckTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t mebibyte = 1 << 20;

  static CheckReport report_of(const VhdxImage& image) {
    test::MemoryDevice file(image.bytes());
    auto report = vhdx::check({.file = &file});
    return report ? *report : CheckReport{.corruptions = 99};
  }

 private slots:
  void aWholeImageHasNothingToTell() {
    VhdxImage image({.size = 4098 * mebibyte, .block_size = mebibyte});
    image.add_block(0, 'a');
    image.add_block(4097, 'b');
    QCOMPARE(report_of(image).corruptions, 0u);
    QVERIFY(report_of(image).findings.empty());
  }

  void eachBadEntryIsTold_data() {
    QTest::addColumn<uint64_t>("entry");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("state 4") << uint64_t{4} << QByteArray("state 4");
    QTest::newRow("partial") << uint64_t{VhdxImage::blocks_at | 7} << QByteArray("without a parent");
    QTest::newRow("behind the end") << uint64_t{(1ull << 50) | 6} << QByteArray("does not lie inside");
    QTest::newRow("over the header") << uint64_t{6} << QByteArray("overlaps");
    QTest::newRow("over the metadata") << uint64_t{VhdxImage::metadata_at | 6} << QByteArray("overlaps");
    QTest::newRow("over another block") << uint64_t{VhdxImage::blocks_at | 6} << QByteArray("overlaps");
  }
  void eachBadEntryIsTold() {
    QFETCH(uint64_t, entry);
    QFETCH(QByteArray, says);
    VhdxImage image({.size = 4 * mebibyte, .block_size = mebibyte});
    image.add_block(0, 'a');
    image.set_entry(2, entry);
    const CheckReport report = report_of(image);
    QCOMPARE(report.corruptions, 1u);
    QCOMPARE(report.findings[0].offset, VhdxImage::bat_at + 16);
    QVERIFY2(report.findings[0].what.contains(says.toStdString()), report.findings[0].what.c_str());
    QVERIFY(report.findings[0].what.contains("block 2"));
  }

  void allAreCountedAndTheFirstAreTold() {
    VhdxImage image({.size = 1000 * mebibyte, .block_size = mebibyte});
    for (uint64_t block = 0; block < 1000; ++block) image.set_entry(block, 6);
    const CheckReport report = report_of(image);
    QCOMPARE(report.corruptions, 1000u);
    QCOMPARE(report.findings.size(), CheckReport::max_told);
  }

  void theSectorBitmapsOfADifferencingDiskAreLookedAt() {
    VhdxImage image({.size = 4 * mebibyte, .block_size = mebibyte});
    image.set_parent({{"relative_path", "base.vhdx"}});
    image.add_block(0, 'a', BlockState::partially_present);
    image.add_bitmap(0, {1, 2});
    QCOMPARE(report_of(image).corruptions, 0u);
    image.set_entry(4096, 3);
    QVERIFY(report_of(image).findings[0].what.contains("sector bitmap"));
    image.set_entry(4096, VhdxImage::blocks_at | 6);
    QVERIFY(report_of(image).findings[0].what.contains("overlaps"));
  }
};

QTEST_GUILESS_MAIN(VhdxCheckTest)
#include "check_test.moc"
