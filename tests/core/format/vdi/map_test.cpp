// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/format/registry.h"
#include "tests/core/format/vdi/vdi_image.h"
#include "tests/support/guest.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using test::VdiImage;

namespace {

constexpr uint64_t block = 4096;

Result<std::vector<Extent>> map_of(const std::vector<std::byte>& bytes) {
  test::MemoryDevice file(bytes);
  auto reader = find_format("vdi")->open({.file = &file});
  if (!reader) return failure(reader);
  return test::map_all(**reader, {0, (*reader)->size()});
}

Extent stored(uint64_t at, uint64_t length, uint64_t host) {
  return {.kind = Extent::Kind::data, .guest = {at, length}, .host = {host, length}};
}
Extent zeroes(uint64_t at, uint64_t length) { return {.kind = Extent::Kind::zero, .guest = {at, length}}; }

}  // namespace

class VdiMapTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhereBlocksAre() {
    VdiImage image;
    image.set_block(1, 2);
    image.set_block(2, 3);
    image.set_block(3, 0);
    QCOMPARE(*map_of(image.bytes), (std::vector<Extent>{zeroes(0, block), stored(block, 2 * block, 1024 + 2 * block),
                                                        stored(3 * block, block, 1024)}));
  }

  void freeAndZeroBlocksReadAsZero() {
    VdiImage image;
    image.set_block(1, vdi::block_zero);
    QCOMPARE(*map_of(image.bytes), (std::vector<Extent>{zeroes(0, 4 * block)}));
  }

  // Blocks that are not stored are told together: what is asked for may begin and end inside of any of them.
  void aPartOfTheDiskIsAPartOfIt() {
    VdiImage image(6, 6);
    image.set_block(0, 1);
    image.set_block(2, vdi::block_zero);
    image.set_block(4, 0);
    test::MemoryDevice file(image.bytes);
    const auto reader = find_format("vdi")->open({.file = &file});
    QVERIFY(reader);
    const Extent whole[] = {stored(0, block, 1024 + block), zeroes(block, 3 * block), stored(4 * block, block, 1024),
                            zeroes(5 * block, block)};
    for (uint64_t at = 0; at < 6 * block; at += 512) {
      for (uint64_t length = 512; length <= 6 * block - at; length += 512) {
        std::vector<Extent> expected;
        for (const Extent& extent : whole) {
          const Range part = intersection(extent.guest, {at, length});
          if (part.empty()) continue;
          const bool data = extent.kind == Extent::Kind::data;
          expected.push_back(data ? stored(part.at, part.length, extent.host.at + part.at - extent.guest.at)
                                  : zeroes(part.at, part.length));
        }
        QCOMPARE(*test::map_all(**reader, {at, length}), expected);
      }
    }
  }

  void stepsOverWhatComesBeforeEachBlock() {
    VdiImage image(4, 4);
    image.header.block_extra = 512;
    image.write_header();
    image.bytes.resize(image.header.block_offset(4));
    image.set_block(0, 0);
    image.set_block(1, 1);
    QCOMPARE(*map_of(image.bytes), (std::vector<Extent>{stored(0, block, 1536), stored(block, block, 2048 + block + 0),
                                                        zeroes(2 * block, 2 * block)}));
  }

  void endsWithTheDiskInsideABlock() {
    VdiImage image;
    image.header.disk_size = 3 * block + 512;
    image.write_header();
    image.set_block(3, 0);
    image.bytes.resize(1024 + 512);  // no more of it is needed
    QCOMPARE(map_of(image.bytes)->back(), stored(3 * block, 512, 1024));
  }

  void refusesBlocksBehindTheEndOfTheFile() {
    for (const uint32_t entry : {4u, 0x7fffffffu, 0xfffffffdu}) {
      VdiImage image;
      image.set_block(2, entry);
      const auto map = map_of(image.bytes);
      QVERIFY(!map);
      QCOMPARE(map.error().kind, ErrorKind::corrupt);
      QCOMPARE(map.error().offset, 512 + 2 * 4);
    }
  }

  // Cut anywhere, it is damaged or reads as before.
  void isNeverReadPastWhereItWasCut() {
    VdiImage image;
    for (uint32_t index = 0; index < 4; ++index) image.set_block(index, 3 - index);
    for (size_t length = 0; length < image.bytes.size(); length += 512) {
      const auto map = map_of({image.bytes.begin(), image.bytes.begin() + static_cast<std::ptrdiff_t>(length)});
      QVERIFY(!map);
      QCOMPARE(map.error().kind, ErrorKind::corrupt);
      QVERIFY(map.error().offset);
    }
    QVERIFY(map_of(image.bytes));
  }

  // 1 TiB of map entries in a sparse file: nothing is read but what is asked for.
  void looksAtNoMoreOfTheMapThanItNeeds() {
    VdiImage image(1, 0, 1 << 20);
    image.header.blocks_in_image = 1 << 18;
    image.header.disk_size = uint64_t{1} << 38;
    image.header.offset_data = 2 << 20;
    image.write_header();
    image.bytes.resize(3 << 20);
    std::fill(image.bytes.begin() + 512, image.bytes.begin() + 512 + (4 << 18), std::byte{0xff});
    const auto map = map_of(image.bytes);
    QVERIFY(map);
    uint64_t total = 0;
    for (const Extent& extent : *map) {
      QCOMPARE(extent.kind, Extent::Kind::zero);
      total += extent.guest.length;
    }
    QCOMPARE(total, uint64_t{1} << 38);
  }
};

QTEST_GUILESS_MAIN(VdiMapTest)
#include "map_test.moc"
