// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/core/format/vmdk/vmdk_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using test::stored;
using test::VmdkImage;
using vmdk::Field;

namespace {

constexpr uint64_t grain = VmdkImage::grain;

struct Opened : test::OpenedBytes {
  explicit Opened(const std::vector<std::byte>& bytes) : OpenedBytes("vmdk", bytes) {}
};

}  // namespace

class VmdkMapTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhereGrainsAre() {
    VmdkImage image;
    image.set_grain(0, 16);
    image.set_grain(1, 24);
    image.set_grain(3, vmdk::entry_zero_grain);
    QCOMPARE(*Opened(image.bytes).map(),
             (std::vector<Extent>{stored(0, 2 * grain, 16 * 512), test::nothing(Extent::Kind::hole, 2 * grain, grain),
                                  test::nothing(Extent::Kind::zero, 3 * grain, grain)}));
  }

  void aTableThatIsNotThereIsAHole() {
    VmdkImage image;
    image.set(2 * 512, 0);
    QCOMPARE(*Opened(image.bytes).map(), (std::vector<Extent>{test::nothing(Extent::Kind::hole, 0, 4 * grain)}));
  }

  void sectorOneIsAGrainOnlyWithoutTheFlag() {
    VmdkImage image;
    image.header.flags = vmdk::flag_newline_test;
    image.write_header();
    image.set_grain(0, 1);
    QCOMPARE(Opened(image.bytes).map()->front(), stored(0, grain, 512));
  }

  void streamsAreReadByTheirFooter() {
    const auto content = Opened(test::vmdk_stream()).content();
    QVERIFY2(content, content ? "" : content.error().cause.c_str());
    for (size_t i = 0; i < content->size(); ++i) QCOMPARE((*content)[i], static_cast<std::byte>(i / grain + 1));
  }

  void noMoreOfAGrainIsReadThanUpToTheNext() {
    const auto map = Opened(test::vmdk_stream()).map();
    QCOMPARE(map->size(), 4u);
    for (size_t i = 0; i + 1 < 4; ++i) QCOMPARE((*map)[i].host.end(), (*map)[i + 1].host.at);
    QCOMPARE((*map)[3].decoded_length, grain);
  }

  void namesWhatIsWrongAndWhere_data() {
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("value");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<ErrorKind>("kind");
    const auto row = [](const char* name, uint64_t at, uint64_t value, int bytes, ErrorKind kind) {
      QTest::newRow(name) << quint64{at} << quint64{value} << bytes << kind;
    };
    row("version 0", Field::version, 0, 4, ErrorKind::unsupported);
    row("newer version", Field::version, 4, 4, ErrorKind::unsupported);
    row("text transfer", Field::newline_test, 0x0a0a0d20, 4, ErrorKind::corrupt);
    row("giant disk", Field::capacity, uint64_t{1} << 60, 8, ErrorKind::corrupt);
    row("disk beyond its tables", Field::capacity, uint64_t{1} << 40, 8, ErrorKind::corrupt);
    row("giant directory", Field::capacity, uint64_t{1} << 45, 8, ErrorKind::unsupported);
    row("no grains", Field::grain_size, 0, 8, ErrorKind::corrupt);
    row("odd grains", Field::grain_size, 7, 8, ErrorKind::corrupt);
    row("giant grains", Field::grain_size, uint64_t{1} << 40, 8, ErrorKind::corrupt);
    row("no entries", Field::entries_per_table, 0, 4, ErrorKind::corrupt);
    row("giant tables", Field::entries_per_table, 0xffffffff, 4, ErrorKind::corrupt);
    row("directory behind the end", Field::directory, 1 << 20, 8, ErrorKind::corrupt);
    row("directory at the end of all", Field::directory, 0xfffffffffffffffe, 8, ErrorKind::corrupt);
    row("descriptor behind the end", Field::descriptor_offset, 1 << 20, 8, ErrorKind::corrupt);
    row("giant descriptor", Field::descriptor_size, uint64_t{1} << 60, 8, ErrorKind::corrupt);
    row("no descriptor", Field::descriptor_size, 0, 8, ErrorKind::unsupported);
    row("compression without markers", Field::compress_algorithm, 1, 2, ErrorKind::unsupported);
    row("unknown compression", Field::compress_algorithm, 2, 2, ErrorKind::unsupported);
    row("table behind the end", 2 * 512, 0xffffffff, 4, ErrorKind::corrupt);
    row("grain behind the end", 3 * 512, 0xffffffff, 4, ErrorKind::corrupt);
    row("grain across the end", 3 * 512, 8 + 4 * 8 - 1, 4, ErrorKind::corrupt);
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(quint64, at);
    QFETCH(quint64, value);
    QFETCH(int, bytes);
    QFETCH(ErrorKind, kind);
    VmdkImage image;
    if (bytes == 8) store_le(image.bytes, at, uint64_t{value});
    if (bytes == 4) store_le(image.bytes, at, static_cast<uint32_t>(value));
    if (bytes == 2) store_le(image.bytes, at, static_cast<uint16_t>(value));
    const auto map = Opened(image.bytes).map();
    QVERIFY(!map);
    QCOMPARE(map.error().kind, kind);
    QVERIFY(!map.error().cause.empty());
    if (kind == ErrorKind::corrupt) QVERIFY(map.error().offset);
  }

  // Cut anywhere, it is damaged.
  void isNeverReadPastWhereItWasCut() {
    VmdkImage image;
    for (uint32_t i = 0; i < 4; ++i) image.set_grain(i, static_cast<uint32_t>(VmdkImage::first_grain_sector + i * 8));
    for (const auto& whole : {image.bytes, test::vmdk_stream()}) {
      QVERIFY(Opened(whole).content());
      for (size_t length = 0; length < whole.size(); length += 512) {
        const auto content = Opened({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).content();
        QVERIFY(!content);
        QCOMPARE(content.error().kind, ErrorKind::corrupt);
        QVERIFY(content.error().offset);
      }
    }
  }

  void aDamagedGrainIsSaidToBe() {
    auto bytes = test::vmdk_stream();
    const uint64_t at = VmdkImage::first_grain_sector * 512;
    for (const uint64_t where : {at + 11, at + 13, at + 20}) {
      auto bent = bytes;
      bent[where] ^= std::byte{0x55};
      const auto content = Opened(bent).content();
      QVERIFY(!content);
      QCOMPARE(content.error().kind, ErrorKind::corrupt);
      QCOMPARE(content.error().offset, at);
    }
  }

  void theLastGrainMayEndWithTheDisk() {
    // As QEMU writes it: no more of the grain than the disk has.
    auto bytes = test::vmdk_stream(1);
    std::vector<std::byte> out(vmdk::encoded_grain_room(512));
    QVERIFY(vmdk::encode_grain(0, 6, std::vector<std::byte>(512, std::byte{1}), out));
    std::copy(out.begin(), out.begin() + 100, bytes.begin() + VmdkImage::first_grain_sector * 512);
    const auto whole = Opened(bytes).content();
    QVERIFY(!whole);  // the disk has all of the grain
    store_le(bytes, bytes.size() - 1024 + Field::capacity, uint64_t{1});
    const auto content = Opened(bytes).content();
    QVERIFY2(content, content ? "" : content.error().cause.c_str());
    QCOMPARE(*content, std::vector<std::byte>(512, std::byte{1}));
  }

  void aDescriptorNamesNoMoreFilesThanAreOpened() {
    const auto open = [](int files) {
      std::string text = "version=1\nCID=5\nparentCID=ffffffff\ncreateType=\"twoGbMaxExtentFlat\"\n";
      for (int i = 0; i < files; ++i) text += "RW 1 FLAT \"" + std::to_string(i) + "\" 0\n";
      const auto bytes = std::as_bytes(std::span(text));
      return Opened({bytes.begin(), bytes.end()});
    };
    QVERIFY(open(2048).reader);
    const auto opened = open(2049);
    QVERIFY(!opened.reader);
    QCOMPARE(opened.reader.error().kind, ErrorKind::unsupported);
  }

  void anUnknownParentIsNotTakenForZeroes() {
    VmdkImage image;
    image.write_text("version=1\nCID=5\nparentCID=7\ncreateType=\"monolithicSparse\"\n");
    Opened opened(image.bytes);
    QVERIFY(opened.reader);
    QCOMPARE((*opened.reader)->references().size(), 1u);
    QCOMPARE((*opened.reader)->references()[0].kind, Reference::Kind::backing);
  }
};

QTEST_GUILESS_MAIN(VmdkMapTest)
#include "map_test.moc"
