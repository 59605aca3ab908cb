// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/reader.h"

#include <QtTest>

#include "core/format/vhd/vhd.h"
#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/path_opener.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vhd_image.h"

using namespace disklathe;
using test::VhdImage;
using vhd::DiskType;
using Kind = Extent::Kind;

namespace {

const std::vector<bool> all(8, true);

std::vector<std::byte> fixed_image(uint64_t size) {
  vhd::Footer footer{.creator = {'w', 'i', 'n', ' '}, .current_size = size, .type = DiskType::fixed};
  std::vector<std::byte> file(size, std::byte{7});
  const auto bytes = footer.encode();
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

Result<std::unique_ptr<ImageReader>> open(test::MemoryDevice& file) { return vhd::open({.file = &file}); }

std::string guest_of(test::MemoryDevice& file) {
  auto reader = open(file);
  if (!reader) return test::describe(reader.error());
  const auto bytes = test::read_guest(**reader, {0, (*reader)->size()}, [&](uint16_t) -> BlockDevice& { return file; });
  return bytes ? std::string(test::as_text(*bytes)) : test::describe(bytes.error());
}

Error error_of(std::vector<std::byte> bytes) {
  test::MemoryDevice file(std::move(bytes));
  const auto reader = open(file);
  return reader ? Error{} : reader.error();
}

Error map_error_of(std::vector<std::byte> bytes) {
  test::MemoryDevice file(std::move(bytes));
  auto reader = open(file);
  if (!reader) return reader.error();
  const auto extents = test::map_all(**reader, {0, (*reader)->size()});
  return extents ? Error{} : extents.error();
}

}  // namespace

class VhdReaderTest : public QObject {
  Q_OBJECT

 private slots:
  void readsABlockAfterItsBitmap() {
    VhdImage image(DiskType::dynamic, 3 * 4096);
    image.add_block(2, 'c', all);
    image.add_block(0, 'a', all);
    test::MemoryDevice file(image.bytes());
    QCOMPARE(guest_of(file), std::string(4096, 'a') + std::string(4096, '\0') + std::string(4096, 'c'));
    auto reader = open(file);
    const auto extents = test::map_all(**reader, {0, 3 * 4096});
    QVERIFY(extents.has_value());
    QCOMPARE(extents->size(), 3u);
    QCOMPARE((*extents)[1].kind, Kind::zero);  // nothing is behind it: the image says so
    QCOMPARE((*extents)[2].host, (Range{2048 + 512, 4096}));
    QCOMPARE((*reader)->facts().cluster_size, std::optional<uint64_t>(4096));
  }

  void sectorsThatTheBitmapDoesNotNameAreZero() {
    VhdImage image(DiskType::dynamic, 4096);
    image.add_block(0, 'a', {true, false, false, true, true, false, true, false});
    test::MemoryDevice file(image.bytes());
    std::string expected;
    for (const char c : std::string_view("a..aa.a.")) expected += std::string(512, c == '.' ? '\0' : c);
    QCOMPARE(guest_of(file), expected);
  }

  void bitmapsOfManySectorsAreReadToTheLastBit() {
    // 32 MiB blocks: bitmaps of 8 KiB, which lie across slices of the cache.
    VhdImage image(DiskType::dynamic, 64 << 20, 32 << 20);
    std::vector<bool> present(65536);
    for (const size_t sector : {0u, 7u, 8u, 63u, 64u, 1000u, 4095u, 65535u}) present[sector] = true;
    std::fill(present.begin() + 20000, present.begin() + 40001, true);
    image.add_block(1, 'x', present);
    test::MemoryDevice file(image.bytes());
    auto reader = open(file);
    QVERIFY(reader.has_value());
    const auto extents = test::map_all(**reader, {32 << 20, 32 << 20});
    QVERIFY(extents.has_value());
    std::vector<bool> found(65536);
    for (const Extent& extent : *extents) {
      if (extent.kind != Kind::data) continue;
      for (uint64_t at = extent.guest.at; at < extent.guest.end(); at += 512) found[(at - (32 << 20)) / 512] = true;
    }
    QVERIFY(found == present);
    QCOMPARE(guest_of(file).substr(33554432 + 19999 * 512, 1024), std::string(512, '\0') + std::string(512, 'x'));
  }

  void whatADifferencingDiskDoesNotHoldIsItsParents() {
    const test::TempDir folder(test::TempDir::Where::memory);
    VhdImage base(DiskType::dynamic, 2 * 4096);
    base.footer().unique_id = Uuid{std::byte{1}};
    base.add_block(0, 'b', all);
    base.add_block(1, 'B', all);
    test::write_file(folder.file("base.vhd"), test::as_text(base.bytes()));
    VhdImage top(DiskType::differencing, 2 * 4096);
    top.set_parent(".\\base.vhd", base.footer().unique_id);
    top.add_block(1, 't', {false, true, true, false, false, false, false, true});
    test::write_file(folder.file("top.vhd"), test::as_text(top.bytes()));

    const auto alone = Image::open({.path = folder.file("top.vhd"), .backing = false}, test::path_opener());
    QVERIFY(alone.has_value());
    QCOMPARE((*alone)->references().size(), 1u);
    QCOMPARE((*alone)->references()[0].name, "./base.vhd");
    QCOMPARE((*alone)->references()[0].format, "vpc");
    const auto extents = test::map_all(**alone, {0, 8192});
    QCOMPARE(extents->front().kind, Kind::hole);
    const auto image = Image::open({.path = folder.file("top.vhd")}, test::path_opener());
    QVERIFY(image.has_value());
    const auto bytes =
        test::read_guest(**image, {0, 8192}, [&](uint16_t index) -> BlockDevice& { return (*image)->file(index); });
    QVERIFY(bytes.has_value());
    std::string expected(4096, 'b');
    for (const char c : std::string_view("BttBBBBt")) expected += std::string(512, c);
    QVERIFY(test::as_text(*bytes) == expected);
  }

  void aParentThatIsAnotherDiskIsRefused() {
    const test::TempDir folder(test::TempDir::Where::disk);
    VhdImage base(DiskType::dynamic, 4096), top(DiskType::differencing, 4096);
    base.footer().unique_id = Uuid{std::byte{1}};
    top.set_parent("base.vhd", Uuid{std::byte{2}});
    test::write_file(folder.file("base.vhd"), test::as_text(base.bytes()));
    test::write_file(folder.file("top.vhd"), test::as_text(top.bytes()));
    const auto image = Image::open({.path = folder.file("top.vhd")}, test::path_opener());
    QVERIFY(!image);
    QCOMPARE(image.error().kind, ErrorKind::corrupt);
    QVERIFY(image.error().cause.contains("not the image it was made on"));
  }

  void theSizeIsTheOneItsCreatorGoesBy_data() {
    QTest::addColumn<QByteArray>("creator");
    QTest::addColumn<bool>("by_geometry");
    for (const char* creator : {"vpc ", "qemu"}) QTest::addRow("%s", creator) << QByteArray(creator) << true;
    for (const char* creator : {"win ", "qem2", "d2v ", "tap", "CTXS", "wa", "vbox"})
      QTest::addRow("%s", creator) << QByteArray(creator) << false;
  }
  void theSizeIsTheOneItsCreatorGoesBy() {
    QFETCH(QByteArray, creator);
    QFETCH(bool, by_geometry);
    vhd::Footer footer{.current_size = 1000 * 512, .geometry = {14, 4, 17}};
    std::ranges::copy(creator.leftJustified(4, '\0'), footer.creator.begin());
    QCOMPARE(footer.disk_size(), uint64_t{512} * (by_geometry ? 952 : 1000));
    footer.geometry = vhd::largest_geometry;  // says nothing
    QCOMPARE(footer.disk_size(), uint64_t{1000 * 512});
  }

  void aFixedDiskIsKnownByItsFooterAlone() {
    const auto bytes = fixed_image(8192);
    test::MemoryDevice file(bytes);
    QCOMPARE(probe_format(file)->format->name, "vpc");
    QCOMPARE(guest_of(file), std::string(8192, '\7'));
    // Not at the place that its size names: it is something that a raw disk holds.
    auto longer = bytes;
    longer.insert(longer.begin(), 512, std::byte{0});
    test::MemoryDevice raw(longer);
    QCOMPARE(probe_format(raw)->format->name, "raw");
  }

  void aGuestThatWritesAHeaderIntoAFixedDiskDoesNotChangeWhatItIs() {
    auto bytes = fixed_image(64 << 10);
    VhdImage lie(DiskType::differencing, 4096);
    lie.set_parent("/etc/passwd", {});
    const auto header = lie.bytes();
    std::ranges::copy(header, bytes.begin());
    test::MemoryDevice file(bytes);
    auto reader = open(file);
    QVERIFY(reader.has_value());
    QCOMPARE((*reader)->size(), uint64_t{64 << 10});
    QVERIFY((*reader)->references().empty());
  }

  void aDamagedFooterIsReplacedByItsCopy() {
    VhdImage image(DiskType::dynamic, 4096);
    image.add_block(0, 'a', all);
    auto bytes = image.bytes();
    bytes[bytes.size() - 400] ^= std::byte{1};
    test::MemoryDevice file(bytes);
    QCOMPARE(guest_of(file), std::string(4096, 'a'));
    QCOMPARE((*open(file))->facts().warnings.size(), 1u);
    bytes.resize(bytes.size() - 512);
    test::MemoryDevice cut(bytes);
    QCOMPARE(guest_of(cut), std::string(4096, 'a'));
  }

  void oldFootersOf511BytesAreRead() {
    VhdImage image(DiskType::dynamic, 4096);
    image.add_block(0, 'a', all);
    auto bytes = image.bytes();
    bytes.pop_back();
    test::MemoryDevice file(bytes);
    QCOMPARE(guest_of(file), std::string(4096, 'a'));
    QVERIFY((*open(file))->facts().warnings.empty());
  }

  void whatIsWrongIsNamed_data() {
    QTest::addColumn<int>("at");  // in the file; negative: in both footers
    QTest::addColumn<uint32_t>("value");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("says");
    const int corrupt = int(ErrorKind::corrupt), unsupported = int(ErrorKind::unsupported);
    const auto row = [](const char* name, int at, uint32_t value, int kind, const char* says) {
      QTest::newRow(name) << at << value << kind << QByteArray(says);
    };
    row("footer version 2", -12, 0x20000, unsupported, "version 2.0");
    row("disk type 5", -60, 5, unsupported, "disk type 5");
    row("3 TiB", -48, 0x2ff, unsupported, "2040 GiB");
    row("header behind the end", -20, 0x7fffffff, corrupt, "header");
    row("no header", -20, 1024, corrupt, "cxsparse");
    row("header version 2", 512 + 24, 0x20000, unsupported, "version 2.0");
    row("block size 0", 512 + 32, 0, corrupt, "block size 0");
    row("block size 1000", 512 + 32, 1000, corrupt, "block size 1000");
    row("block size 256", 512 + 32, 256, corrupt, "block size 256");
    row("too small a table", 512 + 28, 1, corrupt, "1 entries");
    row("table behind the end", 512 + 20, 0x7fffff00, corrupt, "block allocation table");
    row("table beyond everything", 512 + 16, 0xffffffff, corrupt, "block allocation table");
  }
  void whatIsWrongIsNamed() {
    QFETCH(int, at);
    QFETCH(uint32_t, value);
    QFETCH(int, kind);
    QFETCH(QByteArray, says);
    VhdImage image(DiskType::dynamic, 2 * 4096);
    image.add_block(0, 'a', all);
    auto bytes = image.bytes();
    const MutableBytes all_bytes(bytes);
    if (at < 0) {
      for (const MutableBytes footer : {all_bytes.first(512), all_bytes.last(512)}) {
        store_be(footer, static_cast<size_t>(-at), value);
        VhdImage::renew_checksum(footer, 64);
      }
    } else {
      store_be(all_bytes, static_cast<size_t>(at), value);
      VhdImage::renew_checksum(all_bytes.subspan(512, 1024), 36);
    }
    const Error error = error_of(bytes);
    QCOMPARE(int(error.kind), kind);
    QVERIFY2(error.cause.contains(says.toStdString()), test::describe(error).c_str());
    QVERIFY(error.offset.has_value());
  }

  void wrongChecksumsAreNamed() {
    VhdImage image(DiskType::dynamic, 4096);
    auto bytes = image.bytes();
    bytes[512 + 900] ^= std::byte{1};
    QVERIFY(error_of(bytes).cause.contains("header's checksum"));
    bytes[100] ^= std::byte{1};
    bytes[bytes.size() - 412] ^= std::byte{1};
    const Error error = error_of(bytes);
    QCOMPARE(error.kind, ErrorKind::corrupt);
    QVERIFY(error.cause.contains("footer's checksum"));
  }

  void blocksThatCannotBeAreNamed() {
    for (const uint32_t sector : {0u, 1u, 2u, 3u, 0x7fffffffu, 0xfffffffeu, 5u}) {
      VhdImage image(DiskType::dynamic, 3 * 4096);
      image.add_block(0, 'a', all);
      image.set_entry(1, sector);
      const Error error = map_error_of(image.bytes());
      QCOMPARE(error.kind, ErrorKind::corrupt);
      QCOMPARE(error.offset, std::optional<uint64_t>(VhdImage::table_at + 4));
      QVERIFY(error.cause.contains("block 1"));
    }
  }

  void aCutFileNeverReadsAsAWholeOne() {
    VhdImage image(DiskType::dynamic, 3 * 4096);
    image.add_block(0, 'a', all);
    image.add_block(2, 'c', all);
    const auto whole = image.bytes();
    for (size_t length = 0; length + 512 < whole.size(); length += 512) {
      const Error error = map_error_of({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length)});
      QCOMPARE(error.kind, ErrorKind::corrupt);
    }
  }

  void theLastBlockMayEndWithTheDisk() {
    VhdImage image(DiskType::dynamic, 4096 + 1024);
    image.add_block(0, 'a', all);
    image.add_block(1, 'b', all);
    test::MemoryDevice file(image.bytes());
    QCOMPARE(guest_of(file), std::string(4096, 'a') + std::string(1024, 'b'));
  }
};

QTEST_GUILESS_MAIN(VhdReaderTest)
#include "reader_test.moc"
