// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/header.h"

#include <QTest>

#include "core/format/qcow2/reader.h"
#include "tests/support/memory_device.h"
#include "tests/support/qcow2_image.h"

using namespace disklathe;
using namespace disklathe::qcow2;
using test::MemoryDevice;
using test::Qcow2Image;

namespace {

Result<Header> parsed(const Qcow2Image& image) {
  MemoryDevice file(image.bytes);
  return read_header(file);
}

void expect(const Result<Header>& result, ErrorKind kind, std::optional<uint64_t> offset, std::string_view cause) {
  QVERIFY2(!result, "accepted");
  QCOMPARE(result.error().kind, kind);
  QCOMPARE(result.error().operation, "open");
  QCOMPARE(result.error().offset, offset);
  QVERIFY2(result.error().cause.contains(cause), result.error().cause.c_str());
}

void add_extension(std::vector<std::byte>& bytes, uint64_t& at, uint32_t type, std::string_view data) {
  store_be<uint32_t>(bytes, at, type);
  store_be<uint32_t>(bytes, at + 4, static_cast<uint32_t>(data.size()));
  std::memcpy(bytes.data() + at + 8, data.data(), data.size());
  at += 8 + (data.size() + 7) / 8 * 8;
}

}  // namespace

class HeaderTest : public QObject {
  Q_OBJECT
 private slots:
  void gives_back_what_was_encoded() {
    Header header{.cluster_bits = 12,
                  .size = 12345 * 512,
                  .incompatible_features = incompatible_compression_type | incompatible_dirty,
                  .compatible_features = compatible_lazy_refcounts,
                  .refcount_order = 6,
                  .compression_type = CompressionType::zstd,
                  .backing_file = "folder/base.img",
                  .backing_format = "raw"};
    header.feature_names.assign(known_feature_names().begin(), known_feature_names().end());
    const Qcow2Image image(8, header);
    const auto result = parsed(image);
    QVERIFY(result.has_value());
    QVERIFY(*result == image.header);
  }

  void gives_back_version_2() {
    Qcow2Image image(8, {.version = 2, .size = 1 << 20, .backing_file = "base", .backing_format = "qcow2"});
    const auto result = parsed(image);
    QVERIFY(result.has_value());
    QVERIFY(*result == image.header);
    QCOMPARE(result->refcount_order, 4U);
  }

  void leaves_the_feature_names_out_where_there_is_no_room() {
    Header header{.cluster_bits = 9, .backing_file = std::string(100, 'b')};
    header.feature_names.assign(known_feature_names().begin(), known_feature_names().end());
    const auto encoded = header.encode();
    QVERIFY(encoded.has_value());
    QVERIFY(encoded->size() <= 512);
  }

  void encodes_no_name_that_does_not_fit() {
    const Header header{.cluster_bits = 9, .backing_file = std::string(500, 'b')};
    QCOMPARE(header.encode().error().kind, ErrorKind::invalid);
  }

  void encodes_no_features_in_version_2() {
    const Header header{.version = 2, .compatible_features = compatible_lazy_refcounts};
    QCOMPARE(header.encode().error().kind, ErrorKind::invalid);
  }

  void reads_a_name_that_ends_with_the_cluster() {
    Qcow2Image image(8, {.cluster_bits = 9});
    const std::string name(100, 'n');
    std::memcpy(image.bytes.data() + 412, name.data(), name.size());
    image.set<uint64_t>(8, 412);
    image.set<uint32_t>(16, 100);
    QCOMPARE(parsed(image)->backing_file, name);
    image.set<uint32_t>(16, 101);
    expect(parsed(image), ErrorKind::corrupt, 16, "first cluster");
  }

  void reads_extensions() {
    Qcow2Image image;
    uint64_t at = header_length_current;
    add_extension(image.bytes, at, 0x12345678, "unknown");
    add_extension(image.bytes, at, 0xe2792aca, "vmdk");
    add_extension(image.bytes, at, 0x44415441, "data.raw");
    add_extension(image.bytes, at, 0, "");
    add_extension(image.bytes, at, 0xe2792aca, "after the end");
    const auto result = parsed(image);
    QCOMPARE(result->backing_format, "vmdk");
    QCOMPARE(result->data_file, "data.raw");
  }

  void reads_a_longer_header_of_a_later_program() {
    Qcow2Image image;
    image.set<uint32_t>(100, 120);
    QVERIFY(parsed(image).has_value());
  }

  void names_unknown_features_from_the_table() {
    Qcow2Image image;
    uint64_t at = header_length_current;
    std::string table(96, '\0');
    table[1] = 17;
    table.replace(2, 10, "holographic");
    table[48] = 1;  // a compatible feature with a bit that the other set has too
    table[49] = 18;
    table.replace(50, 5, "other");
    add_extension(image.bytes, at, 0x6803f857, table);
    image.set<uint64_t>(72, 1ULL << 17 | 1ULL << 18);
    expect(parsed(image), ErrorKind::unsupported, 72, "holographic");
    expect(parsed(image), ErrorKind::unsupported, 72, "bit 18");
  }

  void refuses_fields_out_of_bounds_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("width");
    QTest::addColumn<quint64>("value");
    QTest::addColumn<int>("offset");
    QTest::addColumn<bool>("unsupported");
    QTest::addColumn<QByteArray>("cause");
    const auto row = [](const char* name, int at, int width, quint64 value, const char* cause, int offset = -1,
                        bool unsupported = false) {
      QTest::newRow(name) << at << width << value << (offset < 0 ? at : offset) << unsupported << QByteArray(cause);
    };
    row("magic", 0, 4, 0x514649fc, "magic");
    row("version 1", 4, 4, 1, "version 1", -1, true);
    row("version 4", 4, 4, 4, "version 4", -1, true);
    row("cluster_bits 8", 20, 4, 8, "cluster_bits");
    row("cluster_bits 22", 20, 4, 22, "cluster_bits");
    row("cluster_bits huge", 20, 4, 0xffffffff, "cluster_bits");
    row("size", 24, 8, 1ULL << 63, "size");
    row("size above L1", 24, 8, 1ULL << 40, "too small", 36);
    row("crypt_method", 32, 4, 3, "crypt_method", -1, true);
    row("l1_size", 36, 4, 0x400001, "entries");
    row("l1_size past the end", 36, 4, 0x400000, "inside the file", 40);
    row("l1 alignment", 40, 8, 0x20200, "boundary");
    row("l1 past the end", 40, 8, 0x1000000, "inside the file");
    row("l1 wraps", 40, 8, 0xffffffffffff0000, "inside the file");
    row("l1 over the header", 40, 8, 0, "overlaps the header");
    row("refcount alignment", 48, 8, 0x10001, "boundary");
    row("refcount past the end", 48, 8, 0x1000000, "inside the file");
    row("refcount over the header", 48, 8, 0, "overlaps the header");
    row("refcount_table_clusters", 56, 4, 129, "clusters");
    row("refcount_table_clusters huge", 56, 4, 0xffffffff, "clusters");
    row("no refcount table", 56, 4, 0, "no refcount table");
    row("nb_snapshots", 60, 4, 65537, "snapshots");
    row("snapshots over the header", 60, 4, 1, "overlaps the header", 64);
    row("unknown feature", 72, 8, 1ULL << 63, "bit 63", -1, true);
    row("compression bit without type", 72, 8, 8, "compression_type", 104);
    row("compression type without bit", 104, 1, 1, "compression_type");
    row("raw data file without data file", 88, 8, 2, "raw external data file");
    row("bitmaps bit without extension", 88, 8, 1, "bitmaps");
    row("refcount_order", 96, 4, 7, "refcount_order");
    row("header_length short", 100, 4, 96, "header_length");
    row("header_length odd", 100, 4, 113, "header_length");
    row("header_length long", 100, 4, 0x10008, "header_length");
    row("backing name in the header", 8, 8, 50, "first cluster");
    row("backing name past the cluster", 8, 8, 0x10001, "first cluster");
    row("extension too long", 112, 8, 0x1234567800010000, "extension", 116);
  }
  void refuses_fields_out_of_bounds() {
    QFETCH(int, at);
    QFETCH(int, width);
    QFETCH(quint64, value);
    QFETCH(int, offset);
    QFETCH(bool, unsupported);
    QFETCH(QByteArray, cause);
    Qcow2Image image;
    const auto where = static_cast<uint64_t>(at);
    if (width == 1) image.set<uint8_t>(where, static_cast<uint8_t>(value));
    if (width == 4) image.set<uint32_t>(where, static_cast<uint32_t>(value));
    if (width == 8) image.set<uint64_t>(where, value);
    expect(parsed(image), unsupported ? ErrorKind::unsupported : ErrorKind::corrupt, static_cast<uint64_t>(offset),
           {cause.data(), static_cast<size_t>(cause.size())});
  }

  void refuses_extended_l2_in_small_clusters() {
    const Qcow2Image image(8, {.cluster_bits = 13, .incompatible_features = incompatible_extended_l2});
    expect(parsed(image), ErrorKind::corrupt, 20, "extended L2");
  }

  void refuses_an_unknown_compression_type() {
    Qcow2Image image(8, {.incompatible_features = incompatible_compression_type});
    image.set<uint8_t>(104, 2);
    expect(parsed(image), ErrorKind::unsupported, 104, "compression_type 2");
  }

  void refuses_a_long_backing_name() {
    Qcow2Image image(8, {.backing_file = "base"});
    image.set<uint32_t>(16, 1024);
    expect(parsed(image), ErrorKind::corrupt, 16, "1024");
    image.set<uint32_t>(16, 0xffffffff);
    expect(parsed(image), ErrorKind::corrupt, 16, "4294967295");
  }

  void refuses_a_zero_byte_in_a_backing_name() {
    const Qcow2Image image(8, {.backing_file = std::string("ba\0se", 5)});
    QCOMPARE(parsed(image).error().kind, ErrorKind::corrupt);
  }

  void refuses_a_backing_file_beside_raw_data() {
    const Qcow2Image image(8, {.incompatible_features = incompatible_data_file,
                               .autoclear_features = autoclear_data_file_raw,
                               .backing_file = "base"});
    expect(parsed(image), ErrorKind::corrupt, 88, "exclude");
  }

  void refuses_what_is_cut_off() {
    Qcow2Image image;
    image.bytes.resize(71);
    expect(parsed(image), ErrorKind::corrupt, 0, "shorter");
    Qcow2Image version_3;
    version_3.bytes.resize(103);
    expect(parsed(version_3), ErrorKind::corrupt, 0, "shorter");
    version_3.bytes.clear();
    expect(parsed(version_3), ErrorKind::corrupt, 0, "shorter");
  }

  void claims_every_version_but_only_with_the_magic() {
    Qcow2Image image;
    QCOMPARE(probe(image.bytes, {}, image.bytes.size()), 100);
    image.set<uint32_t>(4, 1);
    QVERIFY(probe(image.bytes, {}, image.bytes.size()) > 0);
    image.set<uint32_t>(0, 0);
    QCOMPARE(probe(image.bytes, {}, image.bytes.size()), 0);
    QCOMPARE(probe({}, {}, 0), 0);
  }
};

QTEST_GUILESS_MAIN(HeaderTest)
#include "header_test.moc"
