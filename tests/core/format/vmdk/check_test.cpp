// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/check.h"

#include <QTest>

#include "tests/core/format/vmdk/vmdk_image.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using test::VmdkImage;

class VmdkCheckTest : public QObject {
  Q_OBJECT

  static CheckReport report_of(const std::vector<std::byte>& bytes) {
    test::MemoryDevice file(bytes);
    auto report = vmdk::check({.file = &file});
    return report ? *report : CheckReport{.corruptions = 99};
  }

 private slots:
  void wholeImagesHaveNothingToTell() {
    VmdkImage image;
    image.set_grain(0, VmdkImage::first_grain_sector);
    image.set_grain(1, vmdk::entry_zero_grain);
    QCOMPARE(report_of(image.bytes).corruptions, 0u);
    QCOMPARE(report_of(test::vmdk_stream()).corruptions, 0u);
  }

  void eachBadEntryIsTold() {
    VmdkImage image;
    image.set_grain(1, 0xffffffff);
    image.set_grain(2, VmdkImage::first_grain_sector + 4 * 8 - 1);  // across the end
    image.set_grain(4, 0xffffffff);                                 // behind the disk's end
    const auto report = report_of(image.bytes);
    QCOMPARE(report.corruptions, 2u);
    QCOMPARE(report.findings[0].offset, VmdkImage::table_sector * 512 + 4);
    QCOMPARE(report.findings[1].offset, VmdkImage::table_sector * 512 + 8);
  }

  void twoGrainsInOnePlaceAreTold() {
    VmdkImage image;
    image.set_grain(0, VmdkImage::first_grain_sector);
    image.set_grain(1, VmdkImage::first_grain_sector + 8);
    image.set_grain(2, VmdkImage::first_grain_sector + 8);
    image.set_grain(3, VmdkImage::first_grain_sector + 17);  // off the others' grid, and free
    QCOMPARE(report_of(image.bytes).corruptions, 1u);
    image.set_grain(3, VmdkImage::first_grain_sector + 15);
    const auto report = report_of(image.bytes);
    QCOMPARE(report.corruptions, 2u);
    QCOMPARE(report.findings[0].offset, VmdkImage::table_sector * 512 + 8);
    QCOMPARE(report.findings[1].offset, VmdkImage::table_sector * 512 + 12);
  }

  void aGrainInTheTablesIsTold() {
    for (const uint32_t sector : {2u, 3u, 6u}) {
      VmdkImage image;
      image.set_grain(0, sector);
      QCOMPARE(report_of(image.bytes).corruptions, 1u);
    }
  }

  void aTableThatIsNotThereIsToldOnce() {
    VmdkImage image;
    image.set(2 * 512, 0xffffffff);
    const auto report = report_of(image.bytes);
    QCOMPARE(report.corruptions, 1u);
    QCOMPARE(report.findings[0].offset, 2u * 512);
  }

  // It takes as long as its tables are, however much the disk claims to hold: here 1 PiB behind 3 sectors of flat disk.
  void aDiskThatClaimsMuchIsLookedAtAtOnce() {
    VmdkImage image;
    image.header.grain_sectors = 131072;
    image.header.capacity = uint64_t{1} << 41;
    image.header.directory_sector = image.bytes.size() / 512;
    image.write_header();
    image.bytes.resize(image.bytes.size() + image.header.directory_entries() * 4, std::byte{0xff});
    const std::string text = "version=1\nCID=5\nparentCID=ffffffff\ncreateType=\"custom\"\nRW 3 FLAT \"flat\" 0\nRW " +
                             std::to_string(image.header.capacity) + " SPARSE \"sparse\"\n";
    const auto bytes = std::as_bytes(std::span(text));
    test::MemoryDevice descriptor({bytes.begin(), bytes.end()}), flat(std::vector<std::byte>(3 * 512)),
        sparse(image.bytes);
    const auto report = vmdk::check({.file = &descriptor, .extents = {&flat, &sparse}});
    QVERIFY2(report, report ? "" : report.error().cause.c_str());
    QCOMPARE(report->corruptions, image.header.directory_entries());
  }
};

QTEST_GUILESS_MAIN(VmdkCheckTest)
#include "check_test.moc"
