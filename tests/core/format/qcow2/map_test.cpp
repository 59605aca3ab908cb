// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/map.h"

#include <QElapsedTimer>
#include <QTest>

#include "core/format/qcow2/reader.h"
#include "tests/support/counting_device.h"
#include "tests/support/guest.h"
#include "tests/support/memory_device.h"
#include "tests/support/qcow2_image.h"

using namespace disklathe;
using namespace disklathe::qcow2;
using test::CountingDevice;
using test::map_all;
using test::MemoryDevice;
using test::Qcow2Image;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t cluster = 65536;

struct Opened {
  explicit Opened(const Qcow2Image& image, BlockDevice* data_file = nullptr) : file(image.bytes) {
    auto opened = qcow2::open({.file = &file, .data_file = data_file});
    if (!opened) qFatal("%s", opened.error().cause.c_str());
    reader = std::move(*opened);
  }
  std::vector<Extent> all() {
    auto extents = map_all(*reader, {0, reader->size()});
    if (!extents) qFatal("%s", extents.error().cause.c_str());
    return *extents;
  }
  MemoryDevice file;
  std::unique_ptr<ImageReader> reader;
};

// Of mapping all of it.
Error error_of(const Qcow2Image& image, BlockDevice* data_file = nullptr) {
  Opened opened(image, data_file);
  std::vector<Extent> extents;
  auto mapped = map_all(*opened.reader, {0, opened.reader->size()});
  return mapped ? Error{.cause = "nothing wrong"} : mapped.error();
}

void expect_corrupt(const Qcow2Image& image, uint64_t offset, std::string_view cause,
                    BlockDevice* data_file = nullptr) {
  const Error error = error_of(image, data_file);
  QVERIFY2(error.cause.contains(cause), error.cause.c_str());
  QCOMPARE(error.kind, ErrorKind::corrupt);
  QCOMPARE(error.operation, "map");
  QCOMPARE(error.offset, std::optional(offset));
}

uint64_t compressed_entry(const Header& header, uint64_t host, uint64_t more_sectors) {
  return entry_compressed | host | more_sectors << compressed_offset_bits(header.cluster_bits);
}

}  // namespace

class MapTest : public QObject {
  Q_OBJECT
 private slots:
  void merges_what_continues_in_the_file() {
    Qcow2Image image;
    image.set_l2(0, entry_copied | 4 * cluster);
    image.set_l2(1, 5 * cluster);  // a snapshot has it too: no difference to us
    image.set_l2(2, entry_copied | 7 * cluster);
    const auto extents = Opened(image).all();
    QCOMPARE(extents.size(), 3U);
    QVERIFY((extents[0] == Extent{.kind = Kind::data, .guest = {0, 2 * cluster}, .host = {4 * cluster, 2 * cluster}}));
    QVERIFY(
        (extents[1] == Extent{.kind = Kind::data, .guest = {2 * cluster, cluster}, .host = {7 * cluster, cluster}}));
    QVERIFY((extents[2] == Extent{.kind = Kind::hole, .guest = {3 * cluster, cluster}}));
  }

  void tells_zero_clusters_from_holes() {
    Qcow2Image image;
    image.set_l2(0, entry_zero);
    image.set_l2(1, entry_copied | 4 * cluster | entry_zero);
    image.set_l2(2, entry_copied | 5 * cluster | entry_zero);
    const auto extents = Opened(image).all();
    QCOMPARE(extents.size(), 3U);
    QVERIFY((extents[0] == Extent{.kind = Kind::zero, .guest = {0, cluster}}));
    QVERIFY((extents[1] ==
             Extent{.kind = Kind::zero, .guest = {cluster, 2 * cluster}, .host = {4 * cluster, 2 * cluster}}));
    QCOMPARE(extents[2].kind, Kind::hole);
  }

  void clips_to_what_was_asked() {
    Qcow2Image image;
    image.set_l2(0, 4 * cluster);
    image.set_l2(1, compressed_entry(image.header, 5 * cluster + 100, 1));
    Opened opened(image);
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({1000, 24}, extents));
    QVERIFY((extents.at(0) == Extent{.kind = Kind::data, .guest = {1000, 24}, .host = {4 * cluster + 1000, 24}}));
    QVERIFY(opened.reader->map({cluster + 4096, 512}, extents));
    QCOMPARE(extents.size(), 2U);
    QVERIFY((extents.at(1) == Extent{.kind = Kind::compressed,
                                     .guest = {cluster + 4096, 512},
                                     .host = {5 * cluster + 100, 1024 - 100},
                                     .decoded_length = cluster,
                                     .decoded_skip = 4096}));
  }

  void leaves_extents_of_the_caller_alone() {
    Qcow2Image image;
    Opened opened(image);
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({0, cluster}, extents));
    QVERIFY(opened.reader->map({cluster, cluster}, extents));
    QCOMPARE(extents.size(), 2U);
  }

  void refuses_ranges_outside_of_the_disk() {
    Qcow2Image image;
    Opened opened(image);
    std::vector<Extent> extents;
    QCOMPARE(opened.reader->map({0, 4 * cluster + 1}, extents).error().kind, ErrorKind::invalid);
    QCOMPARE(opened.reader->map({4 * cluster, 1}, extents).error().kind, ErrorKind::invalid);
    QCOMPARE(opened.reader->map({0, 0}, extents).error().kind, ErrorKind::invalid);
    QCOMPARE(opened.reader->map({UINT64_MAX, UINT64_MAX}, extents).error().kind, ErrorKind::invalid);
    QVERIFY(extents.empty());
  }

  void ends_with_a_disk_that_ends_inside_a_cluster() {
    const Qcow2Image image(8, {.size = cluster + 512});
    Qcow2Image with_data = image;
    with_data.set_l2(1, 4 * cluster);
    const auto extents = Opened(with_data).all();
    QCOMPARE(extents.size(), 2U);
    QVERIFY((extents[1] == Extent{.kind = Kind::data, .guest = {cluster, 512}, .host = {4 * cluster, 512}}));
  }

  void reads_zeroes_where_the_file_ends_inside_a_cluster() {
    Qcow2Image image;
    image.set_l2(0, 4 * cluster);
    image.bytes.resize(4 * cluster + 1000);
    const auto extents = Opened(image).all();
    QVERIFY((extents.at(0) == Extent{.kind = Kind::data, .guest = {0, 1000}, .host = {4 * cluster, 1000}}));
    QVERIFY((extents.at(1) == Extent{.kind = Kind::zero, .guest = {1000, cluster - 1000}}));
  }

  void cuts_compressed_clusters_at_the_end_of_the_file() {
    Qcow2Image image;
    image.set_l2(0, compressed_entry(image.header, 4 * cluster + 1, 127));
    image.bytes.resize(4 * cluster + 200);
    QCOMPARE(Opened(image).all().at(0).host, (Range{4 * cluster + 1, 199}));
  }

  void never_merges_compressed_clusters() {
    Qcow2Image image;
    image.set_l2(0, compressed_entry(image.header, 4 * cluster, 0));
    image.set_l2(1, compressed_entry(image.header, 4 * cluster + 512, 0));
    QCOMPARE(Opened(image).all().size(), 3U);
  }

  void knows_the_longest_compressed_cluster_of_each_size() {
    for (uint32_t bits = min_cluster_bits; bits <= max_cluster_bits; ++bits) {
      Qcow2Image image(8, {.cluster_bits = bits});
      const uint64_t size = image.header.cluster_size();
      const uint64_t most = (uint64_t{1} << (bits - 8)) - 1;  // the field has bits - 8 bits
      image.set_l2(0, compressed_entry(image.header, 4 * size, most));
      image.fill(4 * size, 4 * size, 1);
      const auto extents = Opened(image).all();
      QCOMPARE(extents.at(0).host, (Range{4 * size, (most + 1) * 512}));
      QCOMPARE(extents.at(0).decoded_length, size);
    }
  }

  void reads_extended_entries() {
    Qcow2Image image(8, {.cluster_bits = 16, .incompatible_features = incompatible_extended_l2});
    constexpr uint64_t sub = cluster / 32;
    image.set_l2(0, entry_copied | 4 * cluster);
    image.set_bitmap(0, 0xc0000000'0000000f);  // 0-3 data, 4-29 backing, 30-31 zero
    image.set_l2(1, 0);
    image.set_bitmap(1, 0x00000001'00000000);  // zero, without a cluster
    image.set_l2(2, entry_copied | 5 * cluster);
    image.set_bitmap(2, 0x00000000'ffffffff);
    image.set_l2(3, entry_copied | 6 * cluster);
    image.set_bitmap(3, 0x00000000'ffffffff);
    const auto extents = Opened(image).all();
    const std::vector<Extent> expected{
        {.kind = Kind::data, .guest = {0, 4 * sub}, .host = {4 * cluster, 4 * sub}},
        {.kind = Kind::hole, .guest = {4 * sub, 26 * sub}, .host = {4 * cluster + 4 * sub, 26 * sub}},
        {.kind = Kind::zero, .guest = {30 * sub, 2 * sub}, .host = {4 * cluster + 30 * sub, 2 * sub}},
        {.kind = Kind::zero, .guest = {cluster, sub}},
        {.kind = Kind::hole, .guest = {cluster + sub, 31 * sub}},
        {.kind = Kind::data, .guest = {2 * cluster, 2 * cluster}, .host = {5 * cluster, 2 * cluster}}};
    QVERIFY(extents == expected);
  }

  void asks_for_parts_of_subclusters() {
    Qcow2Image image(8, {.incompatible_features = incompatible_extended_l2});
    image.set_l2(0, entry_copied | 4 * cluster);
    image.set_bitmap(0, 0x2);
    Opened opened(image);
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({2047, 3}, extents));
    QCOMPARE(extents.size(), 2U);
    QVERIFY((extents[1] == Extent{.kind = Kind::data, .guest = {2048, 2}, .host = {4 * cluster + 2048, 2}}));
  }

  void finds_clusters_in_the_data_file() {
    Qcow2Image image(8, {.incompatible_features = incompatible_data_file, .data_file = "data"});
    image.set_l2(0, entry_copied);  // at offset 0 of the data file
    image.set_l2(1, entry_copied | cluster);
    image.set_l2(2, entry_copied | 2 * cluster | entry_zero);
    MemoryDevice data(4 * cluster);
    const auto extents = Opened(image, &data).all();
    const std::vector<Extent> expected{
        {.kind = Kind::data, .guest = {0, 2 * cluster}, .file = 1, .host = {0, 2 * cluster}},
        {.kind = Kind::zero, .guest = {2 * cluster, cluster}, .file = 1, .host = {2 * cluster, cluster}},
        {.kind = Kind::hole, .guest = {3 * cluster, cluster}}};
    QVERIFY(extents == expected);
  }

  void opens_without_the_data_file_but_does_not_map() {
    const Qcow2Image image(8, {.incompatible_features = incompatible_data_file, .data_file = "data"});
    Opened opened(image);
    std::vector<Extent> extents;
    QCOMPARE(opened.reader->map({0, 1}, extents).error().kind, ErrorKind::refused);
    QCOMPARE(opened.reader->references().at(0).name, "data");
    QCOMPARE(opened.reader->references().at(0).kind, Reference::Kind::data_file);
  }

  void says_what_is_encrypted() {
    Qcow2Image image(8, {.crypt_method = CryptMethod::luks});
    image.set_l2(0, 4 * cluster);
    image.set_l2(1, compressed_entry(image.header, 5 * cluster, 1));
    Opened opened(image);
    const auto extents = opened.all();
    QCOMPARE(extents.at(0).kind, Kind::encrypted);
    QCOMPARE(extents.at(1).kind, Kind::encrypted);
    QCOMPARE(extents.at(2).kind, Kind::hole);
    QCOMPARE(opened.reader->facts().encrypted, std::optional(true));
  }

  void refuses_bad_entries() {
    const uint64_t l1 = 2 * cluster, l2 = 3 * cluster;
    Qcow2Image image;
    const auto with_l1 = [&](uint64_t entry) {
      Qcow2Image bent = image;
      bent.set_l1(0, entry);
      return bent;
    };
    const auto with_l2 = [&](uint64_t entry) {
      Qcow2Image bent = image;
      bent.set_l2(1, entry);
      return bent;
    };
    expect_corrupt(with_l1(3 * cluster | 1), l1, "reserved");
    expect_corrupt(with_l1(3 * cluster | 1ULL << 56), l1, "reserved");
    expect_corrupt(with_l1(3 * cluster | 1ULL << 62), l1, "reserved");
    expect_corrupt(with_l1(3 * cluster + 512), l1, "boundary");
    expect_corrupt(with_l1(8 * cluster), l1, "inside the file");
    expect_corrupt(with_l1(0x00ffffffffff0000), l1, "inside the file");
    expect_corrupt(with_l2(4 * cluster | 2), l2 + 8, "reserved");
    expect_corrupt(with_l2(4 * cluster | 1ULL << 61), l2 + 8, "reserved");
    expect_corrupt(with_l2(4 * cluster + 512), l2 + 8, "boundary");
    expect_corrupt(with_l2(8 * cluster), l2 + 8, "inside the file");
    expect_corrupt(with_l2(0x00ffffffffff0000), l2 + 8, "inside the file");
    expect_corrupt(with_l2(entry_copied), l2 + 8, "header");
    expect_corrupt(with_l2(entry_compressed | 100), l2 + 8, "header");
    expect_corrupt(with_l2(entry_compressed | 8 * cluster), l2 + 8, "inside the file");
    expect_corrupt(with_l2(entry_compressed | ((1ULL << 54) - 1)), l2 + 8, "inside the file");
  }

  void refuses_an_l2_table_that_the_file_cuts_off() {
    Qcow2Image image;
    image.bytes.resize(4 * cluster - 1);
    expect_corrupt(image, 2 * cluster, "inside the file");
  }

  void refuses_reserved_bits_of_compressed_offsets() {
    Qcow2Image image(8, {.cluster_bits = 9});
    image.set_l2(0, entry_compressed | 1ULL << 56 | 4 * 512);
    expect_corrupt(image, 3 * 512, "reserved");
  }

  void refuses_zero_clusters_in_version_2() {
    Qcow2Image image(8, {.version = 2});
    image.set_l2(0, entry_zero);
    expect_corrupt(image, 3 * cluster, "version 2");
  }

  void refuses_contradictions_in_extended_entries() {
    Qcow2Image image(8, {.incompatible_features = incompatible_extended_l2});
    image.set_l2(0, entry_copied | 4 * cluster);
    image.set_bitmap(0, 0x00000001'00000001);
    expect_corrupt(image, 3 * cluster, "both allocated and zero");
    image.set_l2(0, 0);
    image.set_bitmap(0, 1);
    expect_corrupt(image, 3 * cluster, "without a cluster");
    image.set_l2(0, entry_copied | 4 * cluster | entry_zero);
    expect_corrupt(image, 3 * cluster, "reserved");
  }

  void refuses_what_a_data_file_rules_out() {
    Qcow2Image image(8, {.incompatible_features = incompatible_data_file, .data_file = "data"});
    MemoryDevice data(4 * cluster);
    image.set_l2(1, entry_copied | 2 * cluster);
    expect_corrupt(image, 3 * cluster + 8, "guest offset", &data);
    image.set_l2(1, compressed_entry(image.header, 4 * cluster, 0));
    expect_corrupt(image, 3 * cluster + 8, "compressed", &data);
    image.set_l2(1, entry_copied | cluster);
    MemoryDevice short_data(cluster);
    expect_corrupt(image, 3 * cluster + 8, "inside the file", &short_data);
  }

  // 64 TiB: 1 MiB of L1 table.
  void walks_an_empty_disk_at_once() {
    const Qcow2Image image(24, {.size = 64ULL << 40});
    Qcow2Image empty = image;
    empty.set_l1(0, 0);
    QCOMPARE(empty.header.l1_size, 131072U);
    Opened opened(empty);
    QElapsedTimer timer;
    timer.start();
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({0, opened.reader->size()}, extents));
    QVERIFY2(timer.elapsed() < 50, "slow");
    QCOMPARE(extents.size(), 1U);
    QVERIFY((extents[0] == Extent{.kind = Kind::hole, .guest = {0, 64ULL << 40}}));
  }

  void stops_after_a_bounded_number_of_extents() {
    Qcow2Image image(8, {.size = 8192 * cluster});
    for (uint64_t i = 0; i < 8192; ++i) image.set_l2(i, i % 2 ? 4 * cluster : 0);
    Opened opened(image);
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({0, opened.reader->size()}, extents));
    QCOMPARE(extents.size(), Map::max_extents);
    QCOMPARE(opened.all().size(), 8192U);
  }

  void stops_after_a_bounded_number_of_table_slices() {
    // Every L1 entry names the same table, which says nothing: 2 slices of reading each.
    Qcow2Image image(8, {.cluster_bits = 15, .size = 4096ULL * (128 << 20)});
    for (uint64_t i = 0; i < 4096; ++i) image.set_l1(i, image.l2_offset());
    Opened opened(image);
    std::vector<Extent> extents;
    QVERIFY(opened.reader->map({0, opened.reader->size()}, extents));
    QCOMPARE(extents.size(), 1U);
    QCOMPARE(extents[0].guest.length, Map::max_l2_slices * (64ULL << 20));
    QCOMPARE(extents[0].kind, Kind::hole);
  }

  void reads_each_slice_once_when_walked_in_order() {
    Qcow2Image image(8, {.size = 8192 * cluster});
    for (uint64_t i = 0; i < 8192; ++i) image.set_l2(i, i % 2 ? 4 * cluster : 0);
    MemoryDevice memory(image.bytes);
    CountingDevice file(memory);
    auto reader = qcow2::open({.file = &file});
    QVERIFY(reader.has_value());
    file.forget();
    QVERIFY(map_all(**reader, {0, (*reader)->size()}).has_value());
    QCOMPARE(file.reads().size(), 5U);  // 1 of L1, 4 of L2
  }

  void passes_read_errors_on() {
    Qcow2Image image;
    MemoryDevice memory(image.bytes);
    auto reader = qcow2::open({.file = &memory});
    QVERIFY(reader.has_value());
    memory.content().resize(cluster);  // truncated behind our back
    std::vector<Extent> extents;
    QVERIFY(!(*reader)->map({0, cluster}, extents));
  }
};

QTEST_GUILESS_MAIN(MapTest)
#include "map_test.moc"
