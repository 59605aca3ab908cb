// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/partition_table.h"

#include <QTest>
#include <climits>
#include <cstring>

#include "core/base/endian.h"

using namespace disklathe;
using Kind = PartitionTable::Kind;

namespace {

constexpr uint64_t mib = 1 << 20;

std::vector<std::byte> blank() { return std::vector<std::byte>(partition_table_head); }

void put_gpt(std::vector<std::byte>& head, uint32_t sector, uint64_t backup_sector) {
  std::memcpy(head.data() + sector, "EFI PART", 8);
  store_le<uint64_t>(head, sector + 24, 1);
  store_le<uint64_t>(head, sector + 32, backup_sector);
}

void put_mbr(std::vector<std::byte>& head, size_t entry, uint8_t type, uint32_t start, uint32_t count) {
  store_le<uint16_t>(head, 510, 0xaa55);
  const size_t at = 446 + entry * 16;
  head[at + 4] = std::byte{type};
  store_le<uint32_t>(head, at + 8, start);
  store_le<uint32_t>(head, at + 12, count);
}

// There is nothing to be read behind the head.
bool nothing(uint64_t, MutableBytes) { return false; }

// What reads a disk that is all in memory.
ReadDisk reader_of(const std::vector<std::byte>& disk) {
  return [&disk](uint64_t at, MutableBytes into) {
    if (at > disk.size() || into.size() > disk.size() - at) return false;
    std::memcpy(into.data(), disk.data() + at, into.size());
    return true;
  };
}

// An entry of a boot record at a sector of the disk.
void put_record(std::vector<std::byte>& disk, uint32_t sector, size_t entry, uint8_t type, uint32_t start,
                uint32_t count) {
  std::vector<std::byte> record(512);
  std::memcpy(record.data(), disk.data() + size_t{sector} * 512, 512);
  put_mbr(record, entry, type, start, count);
  std::memcpy(disk.data() + size_t{sector} * 512, record.data(), 512);
}

// A disk of 4 MiB: a primary partition, and an extended one with two logical ones.
std::vector<std::byte> disk_with_logical_partitions() {
  std::vector<std::byte> disk(4 * mib);
  put_record(disk, 0, 0, 0x83, 128, 1024);
  put_record(disk, 0, 1, 0x0f, 2048, 6144);
  put_record(disk, 2048, 0, 0x83, 64, 512);
  put_record(disk, 2048, 1, 0x05, 4096, 2048);
  put_record(disk, 2048 + 4096, 0, 0x07, 64, 256);
  return disk;
}

std::vector<unsigned> numbers(const std::vector<PartitionEntry>& entries) {
  std::vector<unsigned> all;
  for (const PartitionEntry& entry : entries) all.push_back(entry.number);
  return all;
}

}  // namespace

class PartitionTableTest : public QObject {
  Q_OBJECT

 private slots:
  void gptTellsItsSectorSizeAndItsBackup_data() {
    QTest::addColumn<uint32_t>("sector");
    for (const uint32_t sector : {512U, 2048U, 4096U}) QTest::addRow("%u", sector) << sector;
  }
  void gptTellsItsSectorSizeAndItsBackup() {
    QFETCH(const uint32_t, sector);
    auto head = blank();
    put_mbr(head, 0, 0xee, 1, 0xffffffff);
    put_gpt(head, sector, 999);
    const PartitionTable table = read_partition_table(head, 16 * mib);
    QCOMPARE(table.kind, Kind::gpt);
    QCOMPARE(table.sector_size, std::optional(sector));
    QCOMPARE(table.backup_at, std::optional<uint64_t>(uint64_t{999} * sector));
  }

  void partitionsAreFoundByTheirNumber() {
    auto head = std::vector<std::byte>(partition_entries_head);
    put_gpt(head, 4096, 999);
    store_le<uint64_t>(head, 4096 + 72, 2);  // entries from sector 2 on
    store_le<uint32_t>(head, 4096 + 80, 128);
    store_le<uint32_t>(head, 4096 + 84, 128);
    const size_t second = 2 * 4096 + 128;
    head[second] = std::byte{1};
    store_le<uint64_t>(head, second + 32, 256);
    store_le<uint64_t>(head, second + 40, 511);
    QCOMPARE(find_partition(head, 16 * mib, 2, nothing), std::optional(Range{mib, mib}));
    for (const unsigned none : {0U, 1U, 3U, 129U, UINT_MAX}) QVERIFY(!find_partition(head, 16 * mib, none, nothing));
    QVERIFY(!find_partition(head, 2 * mib - 1, 2, nothing));  // not inside the disk
    store_le<uint64_t>(head, second + 40, UINT64_MAX);
    QVERIFY(!find_partition(head, 16 * mib, 2, nothing));
    store_le<uint64_t>(head, 4096 + 72, UINT64_MAX / 4096);
    QVERIFY(!find_partition(head, 16 * mib, 2, nothing));

    head = blank();
    put_mbr(head, 3, 0x83, 2048, 4096);
    QCOMPARE(find_partition(head, 16 * mib, 4, nothing), std::optional(Range{mib, 2 * mib}));
    for (const unsigned none : {0U, 1U, 5U}) QVERIFY(!find_partition(head, 16 * mib, none, nothing));
    QVERIFY(!find_partition(blank(), 16 * mib, 1, nothing));
  }

  void partitionsAreListedWithTypeAndName() {
    auto head = std::vector<std::byte>(partition_entries_head);
    put_gpt(head, 512, 999);
    store_le<uint64_t>(head, 512 + 72, 2);
    store_le<uint32_t>(head, 512 + 80, 128);
    store_le<uint32_t>(head, 512 + 84, 128);
    const size_t third = 2 * 512 + 2 * 128;
    // c12a7328-f81f-11d2-ba4b-00a0c93ec93b, as it is stored.
    constexpr unsigned char guid[] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                      0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};
    std::memcpy(head.data() + third, guid, sizeof guid);
    store_le<uint64_t>(head, third + 32, 2048);
    store_le<uint64_t>(head, third + 40, 4095);
    head[third + 56] = std::byte{'E'};
    head[third + 58] = std::byte{'S'};
    const auto listed = list_partitions(head, 16 * mib, nothing);
    QCOMPARE(listed.size(), 1U);
    QCOMPARE(listed[0],
             (PartitionEntry{
                 .number = 3, .range = {mib, mib}, .type = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", .name = "ES"}));
    head = blank();
    put_mbr(head, 1, 0x83, 2048, 4096);
    QCOMPARE(list_partitions(head, 16 * mib, nothing),
             std::vector{(PartitionEntry{.number = 2, .range = {mib, 2 * mib}, .type = "0x83", .name = ""})});
    QVERIFY(list_partitions(blank(), 16 * mib, nothing).empty());
  }

  void logicalPartitionsAreListedInTheOrderOfTheirChain() {
    const auto disk = disk_with_logical_partitions();
    const Bytes head(disk.data(), partition_entries_head);
    const auto listed = list_partitions(head, disk.size(), reader_of(disk));
    QCOMPARE(numbers(listed), (std::vector<unsigned>{1, 2, 5, 6}));
    QCOMPARE(listed[1], (PartitionEntry{.number = 2, .range = {mib, 3 * mib}, .type = "0x0f", .name = ""}));
    QCOMPARE(listed[2].range, (Range{(2048 + 64) * 512, 512 * 512}));
    QCOMPARE(listed[3],
             (PartitionEntry{.number = 6, .range = {(2048 + 4096 + 64) * 512, 256 * 512}, .type = "0x07", .name = ""}));
    QCOMPARE(find_partition(head, disk.size(), 6, reader_of(disk)), std::optional(listed[3].range));
    QVERIFY(!find_partition(head, disk.size(), 7, reader_of(disk)));
  }
  void aChainThatCannotBeReadEndsThere() {
    auto disk = disk_with_logical_partitions();
    const Bytes head(disk.data(), partition_entries_head);
    QCOMPARE(numbers(list_partitions(head, disk.size(), nothing)), (std::vector<unsigned>{1, 2}));
    disk[size_t{2048 + 4096} * 512 + 510] = std::byte{0};  // the second record has no signature
    QCOMPARE(numbers(list_partitions(head, disk.size(), reader_of(disk))), (std::vector<unsigned>{1, 2, 5}));
    put_record(disk, 2048, 1, 0x05, 0xfffffff0, 1);  // it leads past the end of the disk
    QCOMPARE(numbers(list_partitions(head, disk.size(), reader_of(disk))), (std::vector<unsigned>{1, 2, 5}));
  }
  void aChainThatLeadsBackEnds() {
    auto disk = disk_with_logical_partitions();
    const Bytes head(disk.data(), partition_entries_head);
    put_record(disk, 2048 + 4096, 1, 0x05, 0, 2048);  // to the first record
    QCOMPARE(numbers(list_partitions(head, disk.size(), reader_of(disk))), (std::vector<unsigned>{1, 2, 5, 6}));
    put_record(disk, 0, 2, 0x05, 2048, 6144);  // and a second extended partition to the same chain
    QCOMPARE(numbers(list_partitions(head, disk.size(), reader_of(disk))), (std::vector<unsigned>{1, 2, 3, 5, 6}));
  }
  void aLongChainIsFollowedToTheMostPartitions() {
    std::vector<std::byte> disk(4 * mib);
    put_record(disk, 0, 0, 0x05, 16, 8000);
    for (uint32_t link = 0; link < 300; ++link) {
      put_record(disk, 16 + link * 4, 0, 0x83, 1, 1);
      put_record(disk, 16 + link * 4, 1, 0x05, (link + 1) * 4, 4);
    }
    int reads = 0;
    const auto counted = [&](uint64_t at, MutableBytes into) { return ++reads, reader_of(disk)(at, into); };
    const auto listed = list_partitions(Bytes(disk.data(), partition_entries_head), disk.size(), counted);
    QCOMPARE(listed.back().number, most_partitions);
    QVERIFY(reads <= static_cast<int>(most_partitions));
  }

  void gptForBothSizesFitsEither() {
    auto head = blank();
    put_gpt(head, 512, 999);
    put_gpt(head, 4096, 99);
    QCOMPARE(read_partition_table(head, 16 * mib).kind, Kind::gpt);
    QVERIFY(!read_partition_table(head, 16 * mib).sector_size);
  }

  void aHeaderInTheWrongPlaceIsNone() {
    auto head = blank();
    put_gpt(head, 512, 1);
    store_le<uint64_t>(head, 512 + 24, 7);
    QCOMPARE(read_partition_table(head, 16 * mib).kind, Kind::none);
  }

  void aBackupThatCannotBeIsNotBelieved() {
    auto head = blank();
    put_gpt(head, 4096, UINT64_MAX / 2);
    QVERIFY(!read_partition_table(head, 16 * mib).backup_at);
  }

  void mbrIsForTheSectorsWithWhichItFitsTheDisk() {
    auto head = blank();
    put_mbr(head, 1, 0x83, 2048, 8192);
    const PartitionTable full = read_partition_table(head, 5 * mib);
    QCOMPARE(full.kind, Kind::mbr);
    QCOMPARE(full.sector_size, std::optional(512U));
    QVERIFY(!read_partition_table(head, 40 * mib).sector_size);      // either would fit
    QVERIFY(!read_partition_table(head, 2 * mib).sector_size);       // cut off
    QVERIFY(!read_partition_table(head, std::nullopt).sector_size);  // a stream
  }

  void fileSystemsAndBlankDisksHaveNoTable() {
    auto head = blank();
    QCOMPARE(read_partition_table(head, mib).kind, Kind::none);
    store_le<uint16_t>(head, 510, 0xaa55);
    QCOMPARE(read_partition_table(head, mib).kind, Kind::none);
    put_mbr(head, 0, 0x83, 1, 1);
    head[446] = std::byte{0x65};  // the code of a boot sector
    QCOMPARE(read_partition_table(head, mib).kind, Kind::none);
  }

  void aShortDiskIsNoTable() {
    const auto head = blank();
    for (const size_t size : {0U, 1U, 511U, 512U, 603U, 4096U})
      QCOMPARE(read_partition_table(std::span(head).first(size), size).kind, Kind::none);
  }
};

QTEST_GUILESS_MAIN(PartitionTableTest)
#include "partition_table_test.moc"
