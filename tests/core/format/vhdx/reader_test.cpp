// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/reader.h"

#include <QtTest>

#include "tests/fuzz/span_device.h"
#include "tests/support/counting_device.h"
#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/path_opener.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vhdx_image.h"

using namespace disklathe;
using test::VhdxImage;
using vhdx::BlockState;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t mebibyte = 1 << 20;

vhdx::Disk disk_of(uint64_t mebibytes) { return {.size = mebibytes * mebibyte, .block_size = mebibyte}; }

Result<std::unique_ptr<ImageReader>> open(test::MemoryDevice& file) { return vhdx::open({.file = &file}); }

// The first byte of each MiB of the disk, or what went wrong.
std::string guest_of(std::vector<std::byte> bytes, uint64_t step = mebibyte) {
  test::MemoryDevice file(std::move(bytes));
  auto reader = open(file);
  if (!reader) return test::describe(reader.error());
  const auto guest = test::read_guest(**reader, {0, (*reader)->size()}, [&](uint16_t) -> BlockDevice& { return file; });
  if (!guest) return test::describe(guest.error());
  std::string out;
  for (uint64_t at = 0; at < guest->size(); at += step) {
    const auto same =
        std::ranges::all_of(Bytes(*guest).subspan(at, step), [&](std::byte b) { return b == (*guest)[at]; });
    const char c = static_cast<char>((*guest)[at]);
    out += !same ? '?' : c == '\0' ? '.' : c;
  }
  return out;
}

// Of opening, or of reading all of the map.
Error error_of(std::vector<std::byte> bytes) {
  test::MemoryDevice file(std::move(bytes));
  auto reader = open(file);
  if (!reader) return reader.error();
  const auto extents = test::map_all(**reader, {0, (*reader)->size()});
  return extents ? Error{} : extents.error();
}

// Pages of one block of 'a', the first of them others.
std::string then_a(std::string_view first) {
  std::string pages(256, 'a');
  std::ranges::copy(first, pages.begin());
  return pages;
}

std::vector<std::byte> page_of(uint8_t value) { return std::vector<std::byte>(4096, std::byte{value}); }

}  // namespace

class VhdxReaderTest : public QObject {
  Q_OBJECT

 private slots:
  void readsBlocksByTheirState() {
    VhdxImage image(disk_of(8));
    image.add_block(0, 'a');
    image.add_block(7, 'h');
    image.add_block(3, 'd');
    image.set_entry(1, VhdxImage::entry(0, BlockState::undefined));
    image.set_entry(2, VhdxImage::entry(0, BlockState::zero));
    image.set_entry(4, VhdxImage::entry(5 * mebibyte, BlockState::unmapped));
    image.set_entry(5, VhdxImage::entry(0, BlockState::unmapped_0_95));
    QCOMPARE(guest_of(image.bytes()), "a..d...h");
    test::MemoryDevice file(image.bytes());
    auto reader = open(file);
    QCOMPARE((*reader)->facts().cluster_size, std::optional<uint64_t>(mebibyte));
    const auto extents = test::map_all(**reader, {0, 8 * mebibyte});
    QCOMPARE((*extents)[1].kind, Kind::zero);  // nothing is behind it: the image says so
    QVERIFY((*reader)->facts().warnings.empty());
  }

  void entriesOfSectorBitmapsComeBetweenThoseOfBlocks() {
    // 4096 blocks of a MiB are a chunk: the disk has a second one.
    VhdxImage image(disk_of(4098));
    image.add_block(4095, 'y');
    image.add_block(4096, 'z');
    test::MemoryDevice file(image.bytes());
    auto reader = open(file);
    const auto extents = test::map_all(**reader, {4094 * mebibyte, 4 * mebibyte});
    QVERIFY(extents.has_value());
    QCOMPARE(extents->size(), 3u);
    QCOMPARE((*extents)[1].guest, (Range{4095 * mebibyte, 2 * mebibyte}));
    QCOMPARE((*extents)[1].host.at, VhdxImage::blocks_at);
  }

  void aDiskMayEndInsideItsLastBlock() {
    VhdxImage image({.size = mebibyte + 512, .block_size = mebibyte});
    image.add_block(1, 'b');
    image.file().resize(image.file().size() - mebibyte + 512);
    std::string expected(2049, '.');
    expected.back() = 'b';
    QCOMPARE(guest_of(image.bytes(), 512), expected);
  }

  void whatADifferencingDiskDoesNotHoldIsItsParents_data() {
    QTest::addColumn<int>("sector_size");
    QTest::newRow("512") << 512;
    QTest::newRow("4096") << 4096;
  }
  void whatADifferencingDiskDoesNotHoldIsItsParents() {
    QFETCH(int, sector_size);
    const auto sector = static_cast<uint64_t>(sector_size);
    const test::TempDir folder(test::TempDir::Where::disk);
    vhdx::Disk disk = disk_of(4);
    disk.logical_sector_size = static_cast<uint32_t>(sector);
    VhdxImage base(disk);
    base.header(1).data_write_id = Uuid{std::byte{1}};
    for (uint64_t block = 0; block < 4; ++block) base.add_block(block, static_cast<uint8_t>('a' + block));
    test::write_file(folder.file("base.vhdx"), test::as_text(base.bytes()));
    VhdxImage top(disk);
    top.set_parent({{"parent_linkage", "{00000001-0000-0000-0000-000000000000}"}, {"relative_path", ".\\base.vhdx"}});
    top.add_block(1, 'X', BlockState::partially_present);
    const uint64_t per_block = mebibyte / sector;
    top.add_bitmap(1, {per_block, per_block + 1, 2 * per_block - 1});
    top.set_entry(2, VhdxImage::entry(0, BlockState::zero));
    top.add_block(3, 'D');
    test::write_file(folder.file("top.vhdx"), test::as_text(top.bytes()));

    const auto image = Image::open({.path = folder.file("top.vhdx")}, test::path_opener());
    QVERIFY2(image.has_value(), image ? "" : test::describe(image.error()).c_str());
    QCOMPARE((*image)->references()[0].name, "./base.vhdx");
    const auto guest = test::read_guest(**image, {0, 4 * mebibyte},
                                        [&](uint16_t index) -> BlockDevice& { return (*image)->file(index); });
    QVERIFY(guest.has_value());
    std::string expected(4 * mebibyte, '\0');
    std::fill_n(expected.begin(), mebibyte, 'a');
    std::fill_n(expected.begin() + mebibyte, mebibyte, 'b');
    std::fill_n(expected.begin() + 3 * mebibyte, mebibyte, 'D');
    std::fill_n(expected.begin() + mebibyte, 2 * sector, 'X');
    std::fill_n(expected.begin() + 2 * mebibyte - sector_size, sector, 'X');
    QVERIFY(test::as_text(*guest) == expected);
  }

  void aParentThatWasChangedIsRefused() {
    const test::TempDir folder(test::TempDir::Where::disk);
    VhdxImage base(disk_of(1)), top(disk_of(1));
    base.header(1).data_write_id = Uuid{std::byte{2}};
    test::write_file(folder.file("base.vhdx"), test::as_text(base.bytes()));
    top.set_parent({{"parent_linkage", "{00000001-0000-0000-0000-000000000000}"}, {"relative_path", "base.vhdx"}});
    test::write_file(folder.file("top.vhdx"), test::as_text(top.bytes()));
    const auto image = Image::open({.path = folder.file("top.vhdx")}, test::path_opener());
    QVERIFY(!image);
    QCOMPARE(image.error().kind, ErrorKind::corrupt);
    // Another state of it that the image knows as well.
    top.set_parent({{"parent_linkage", "{00000001-0000-0000-0000-000000000000}"},
                    {"parent_linkage2", "{00000002-0000-0000-0000-000000000000}"},
                    {"relative_path", "base.vhdx"}});
    test::write_file(folder.file("top.vhdx"), test::as_text(top.bytes()));
    QVERIFY(Image::open({.path = folder.file("top.vhdx")}, test::path_opener()).has_value());
  }

  void theHeaderWithTheHigherNumberCounts() {
    for (const size_t newer : {0u, 1u}) {
      VhdxImage image(disk_of(1));
      image.header(newer).sequence_number = 9;
      image.header(newer).data_write_id = Uuid{std::byte{9}};
      test::MemoryDevice file(image.bytes());
      auto reader = open(file);
      QCOMPARE((*reader)->facts().identity, "00000009-0000-0000-0000-000000000000");
    }
  }

  void oneDamagedHeaderIsSaidAndTwoAreTooMany() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    auto bytes = image.bytes();
    bytes[vhdx::header_at[1] + 300] = std::byte{1};
    test::MemoryDevice file(bytes);
    QCOMPARE((*open(file))->facts().warnings.size(), 1u);
    QCOMPARE(guest_of(bytes), "a");
    bytes[vhdx::header_at[0] + 300] = std::byte{1};
    const Error error = error_of(bytes);
    QCOMPARE(error.kind, ErrorKind::corrupt);
    QVERIFY(error.cause.contains("checksum"));
    QCOMPARE(error.offset, std::optional<uint64_t>(vhdx::header_at[0] + 4));
  }

  void headersThatDisagreeUnderOneNumberAreCorrupt() {
    VhdxImage image(disk_of(1));
    image.header(0).sequence_number = 2;
    QVERIFY(error_of(image.bytes()).cause.empty());  // Disk2vhd writes one header twice
    image.header(0).data_write_id = Uuid{std::byte{1}};
    QCOMPARE(error_of(image.bytes()).kind, ErrorKind::corrupt);
  }

  void theSecondRegionTableStandsInForTheFirst() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    auto bytes = image.bytes();
    bytes[vhdx::region_table_at[0] + 60000] = std::byte{1};
    QCOMPARE(guest_of(bytes), "a");
    bytes[vhdx::region_table_at[1] + 60000] = std::byte{1};
    QVERIFY(error_of(bytes).cause.contains("region table's checksum"));
  }

  void aLogThatWasLeftBehindCounts() {
    VhdxImage image(disk_of(3));
    const uint64_t block = image.append('b');
    auto page = page_of(0);
    store_le(page, 8, VhdxImage::entry(block, BlockState::fully_present));  // of block 1
    image.add_log_entry(0, 5, 0, {{.to = VhdxImage::bat_at, .page = page}});
    QCOMPARE(guest_of(image.bytes()), ".b.");
    test::MemoryDevice file(image.bytes());
    QCOMPARE((*open(file))->facts().warnings.size(), 1u);
  }

  void theFirstAndLastBytesOfAPageAreInItsDescriptor() {
    VhdxImage image(disk_of(513));
    const uint64_t block = image.append('e');
    auto page = page_of(0);
    for (const size_t entry : {0u, 511u}) store_le(page, entry * 8, VhdxImage::entry(block, BlockState::fully_present));
    image.add_log_entry(0, 5, 0, {{.to = VhdxImage::bat_at, .page = page}});
    std::string expected(513, '.');
    expected[0] = expected[511] = 'e';
    QCOMPARE(guest_of(image.bytes()), expected);
  }

  void dataInTheLogIsReadFromThere() {
    VhdxImage image(disk_of(2));
    image.add_block(0, 'a');
    image.add_block(1, 'b');
    const uint64_t data = VhdxImage::blocks_at;
    image.add_log_entry(0, 1, 0,
                        {{.to = data + 8192, .page = page_of('L')},
                         {.to = data + 65536, .zeroes = 12288},
                         {.to = data + 65536 + 4096, .page = page_of('M')}});
    std::string expected(512, 'a');
    std::fill_n(expected.begin() + 256, 256, 'b');
    expected[2] = 'L';
    expected[16] = expected[18] = '.';
    expected[17] = 'M';
    QCOMPARE(guest_of(image.bytes(), 4096), expected);
  }

  void laterEntriesOfTheLogTakeThePlaceOfEarlierOnes() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    const uint64_t data = VhdxImage::blocks_at;
    uint64_t at =
        image.add_log_entry(0, 7, 0, {{.to = data, .page = page_of('x')}, {.to = data + 8192, .zeroes = 65536}});
    at =
        image.add_log_entry(at, 8, 0, {{.to = data, .page = page_of('y')}, {.to = data + 16384, .page = page_of('z')}});
    image.add_log_entry(at, 9, 0, {{.to = data + 4096, .zeroes = 8192}});
    QCOMPARE(guest_of(image.bytes(), 4096), then_a("y...z............."));
  }

  void onlyTheNewestSequenceFromItsTailOnCounts() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    const uint64_t data = VhdxImage::blocks_at;
    // Done and over, of an earlier round: overwritten by what is at the start of the log now.
    image.add_log_entry(65536, 2, 65536, {{.to = data + 4096, .page = page_of('o')}});
    uint64_t at = image.add_log_entry(0, 11, 0, {{.to = data + 8192, .page = page_of('p')}});
    const uint64_t tail = at;
    at = image.add_log_entry(at, 12, tail, {{.to = data, .page = page_of('n')}});
    image.add_log_entry(at, 13, tail, {});
    QCOMPARE(guest_of(image.bytes(), 4096), then_a("n"));
  }

  void anEntryThatIsNotWholeEndsTheLog() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    const uint64_t data = VhdxImage::blocks_at;
    const uint64_t at = image.add_log_entry(0, 1, 0, {{.to = data, .page = page_of('n')}});
    image.add_log_entry(at, 2, 0, {{.to = data + 4096, .page = page_of('m')}});
    image.file()[VhdxImage::log_at + at + 5000] ^= std::byte{1};
    QCOMPARE(guest_of(image.bytes(), 4096), then_a("n"));
  }

  void theLogIsARing() {
    VhdxImage image(disk_of(1));
    image.add_block(0, 'a');
    const uint64_t data = VhdxImage::blocks_at, start = mebibyte - 4096;
    const uint64_t at = image.add_log_entry(start, 1, start, {{.to = data, .page = page_of('n')}});
    QCOMPARE(at, 4096u);
    image.add_log_entry(at, 2, start, {{.to = data + 4096, .page = page_of('m')}});
    QCOMPARE(guest_of(image.bytes(), 4096), then_a("nm"));
  }

  void theFileMayHaveToGrowFirst() {
    VhdxImage image(disk_of(2));
    auto page = page_of(0);
    store_le(page, 0, VhdxImage::entry(VhdxImage::blocks_at, BlockState::fully_present));
    image.add_log_entry(0, 1, 0,
                        {{.to = VhdxImage::bat_at, .page = page}, {.to = VhdxImage::blocks_at, .page = page_of('g')}},
                        VhdxImage::blocks_at, VhdxImage::blocks_at + mebibyte);
    std::string expected(512, '.');
    expected[0] = 'g';
    QCOMPARE(guest_of(image.bytes(), 4096), expected);
  }

  void whatIsWrongWithALogIsNamed() {
    const auto says = [](VhdxImage& image) { return error_of(image.bytes()).cause; };
    VhdxImage cut(disk_of(1));
    cut.add_log_entry(0, 1, 0, {}, 99 * mebibyte);
    QVERIFY(says(cut).contains("cut off"));
    VhdxImage none(disk_of(1));
    none.add_log_entry(0, 1, 0, {});
    none.file()[VhdxImage::log_at + 100] = std::byte{1};
    QVERIFY(says(none).contains("none of its entries is whole"));
    VhdxImage odd(disk_of(1));
    odd.add_log_entry(0, 1, 0, {{.to = 4097, .zeroes = 4096}});
    QVERIFY(says(odd).contains("descriptor 0"));
    VhdxImage far(disk_of(1));
    far.header(0).log_offset = far.header(1).log_offset = 1ull << 50;
    far.add_log_entry(0, 1, 0, {});
    QVERIFY(says(far).contains("does not lie inside the file"));
    VhdxImage huge(disk_of(1));
    huge.add_log_entry(0, 1, 0, {}, 0, ~0ull);
    QVERIFY(says(huge).contains("makes no sense"));
  }

  // Each of them claims the whole log: it is not read as often as there are.
  void aLogOfBrokenEntriesIsReadAFewTimes() {
    VhdxImage image(disk_of(1));
    for (uint64_t at = 0; at < mebibyte; at += 4096) {
      image.add_log_entry(at, 1, 0, {});
      store_le(image.file(), VhdxImage::log_at + at + 8, static_cast<uint32_t>(mebibyte));
    }
    test::MemoryDevice file(image.bytes());
    test::CountingDevice counting(file);
    const auto reader = vhdx::open({.file = &counting});
    QVERIFY(!reader);
    QVERIFY(reader.error().cause.contains("broken entries"));
    QVERIFY2(counting.bytes_read() < 6 * mebibyte, qPrintable(QString::number(counting.bytes_read())));
  }

  void whatIsWrongIsNamed_data() {
    QTest::addColumn<uint64_t>("at");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<uint64_t>("value");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("says");
    const int corrupt = int(ErrorKind::corrupt), unsupported = int(ErrorKind::unsupported);
    const auto row = [](const char* name, uint64_t at, int bytes, uint64_t value, int kind, const char* says) {
      QTest::newRow(name) << at << bytes << value << kind << QByteArray(says);
    };
    const uint64_t header = vhdx::header_at[1], regions = vhdx::region_table_at[0], metadata = VhdxImage::metadata_at;
    const uint64_t items = metadata + 65536;
    row("no identifier", 0, 1, 'V', corrupt, "vhdxfile");
    row("header version 2", header + 66, 2, 2, unsupported, "version 2");
    row("log version 1", header + 64, 2, 1, unsupported, "log has version 1");
    row("log between MiB", header + 72, 8, mebibyte + 4096, corrupt, "log");
    row("3000 regions", regions + 8, 4, 3000, corrupt, "3000 entries");
    row("BAT behind the end", regions + 16 + 16, 8, 1ull << 50, corrupt, "block allocation table does not lie inside");
    row("BAT at the end of all", regions + 16 + 16, 8, ~0ull << 20, corrupt, "block allocation table");
    row("BAT over the header", regions + 16 + 16, 8, 0, corrupt, "block allocation table");
    row("BAT over the metadata", regions + 16 + 16, 8, VhdxImage::metadata_at, corrupt, "overlaps");
    row("BAT over the log", regions + 16 + 16, 8, VhdxImage::log_at, corrupt, "overlaps");
    row("BAT between MiB", regions + 16 + 16, 8, VhdxImage::bat_at + 512, corrupt, "whole MiB");
    row("unknown required region", regions + 16, 1, 0xff, unsupported, "required region");
    row("no metadata table", metadata, 1, 'M', corrupt, "metadata");
    row("3000 items", metadata + 10, 2, 3000, corrupt, "3000 entries");
    row("unknown required item", metadata + 32, 1, 0, unsupported, "required metadata item");
    row("item outside", metadata + 32 + 16, 4, 0xffffffff, corrupt, "block size does not lie inside");
    row("item of 4 GiB", metadata + 32 + 20, 4, 0xffffffff, corrupt, "block size does not lie inside");
    row("item of a byte", metadata + 32 + 20, 4, 1, corrupt, "block size does not lie inside");
    row("blocks of 0", items, 4, 0, corrupt, "block size 0");
    row("blocks of 512 K", items, 4, 1 << 19, corrupt, "block size");
    row("blocks of 512 M", items, 4, 1 << 29, corrupt, "block size");
    row("blocks of 3 M", items, 4, 3 << 20, corrupt, "block size");
    row("2^63 bytes", items + 8, 8, 1ull << 63, corrupt, "64 TiB");
    row("a disk of 513 bytes", items + 8, 8, 513, corrupt, "whole sectors");
    row("too small a BAT", items + 8, 8, 1ull << 40, corrupt, "the disk needs");
    row("sectors of 520", items + 32, 4, 520, corrupt, "logical sector size 520");
    row("physical sectors of 0", items + 36, 4, 0, corrupt, "physical sector size 0");
    row("a parent nobody names", items + 4, 4, 2, corrupt, "parent");
    row("state 4", VhdxImage::bat_at, 8, 4, corrupt, "state 4");
    row("partial without a parent", VhdxImage::bat_at, 8, VhdxImage::blocks_at | 7, corrupt, "partially present");
    row("block behind the end", VhdxImage::bat_at, 8, (1ull << 50) | 6, corrupt, "block 0 does not lie inside");
    row("block at the end of all", VhdxImage::bat_at, 8, (~0ull << 20) | 6, corrupt, "block 0 does not lie inside");
    row("block over the header", VhdxImage::bat_at, 8, 6, corrupt, "block 0 overlaps");
    row("block over the BAT", VhdxImage::bat_at, 8, VhdxImage::bat_at | 6, corrupt, "block 0 overlaps");
  }
  void whatIsWrongIsNamed() {
    QFETCH(uint64_t, at);
    QFETCH(int, bytes);
    QFETCH(uint64_t, value);
    QFETCH(int, kind);
    QFETCH(QByteArray, says);
    VhdxImage image(disk_of(2));
    if (Range{vhdx::header_at[1], vhdx::header_size}.contains(at)) image.header(1).log_id = VhdxImage::log_id;
    image.add_block(1, 'b');
    auto file = image.bytes();
    const MutableBytes all(file);
    std::memcpy(file.data() + at, &value, static_cast<size_t>(bytes));
    VhdxImage::renew_checksum(all.subspan(vhdx::header_at[1], vhdx::header_size));
    VhdxImage::renew_checksum(all.subspan(vhdx::region_table_at[0], vhdx::region_table_size));
    // Both copies say the same, so that none stands in for the other.
    std::ranges::copy(all.subspan(vhdx::header_at[1], vhdx::header_size), all.subspan(vhdx::header_at[0]).begin());
    std::ranges::copy(all.subspan(vhdx::region_table_at[0], vhdx::region_table_size),
                      all.subspan(vhdx::region_table_at[1]).begin());
    const Error error = error_of(file);
    QVERIFY2(error.cause.contains(says.toStdString()), test::describe(error).c_str());
    QCOMPARE(int(error.kind), kind);
    QVERIFY(error.offset.has_value());
  }

  void aCutFileNeverReadsAsAWholeOne() {
    VhdxImage image(disk_of(2));
    image.add_block(0, 'a');
    image.add_block(1, 'b');
    const auto whole = image.bytes();
    for (size_t length = 0; length < whole.size(); length += 512) {
      test::SpanDevice file(Bytes(whole).first(length));
      auto reader = vhdx::open({.file = &file});
      Error error = reader ? Error{} : reader.error();
      if (reader) {
        const auto extents = test::map_all(**reader, {0, 2 * mebibyte});
        if (!extents) error = extents.error();
      }
      QCOMPARE(error.kind, ErrorKind::corrupt);
      QVERIFY(!error.cause.empty());
    }
  }
};

QTEST_GUILESS_MAIN(VhdxReaderTest)
#include "reader_test.moc"
