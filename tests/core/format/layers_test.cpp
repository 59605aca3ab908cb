// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/layers.h"

#include <QTest>

#include "tests/support/guest.h"
#include "tests/support/memory_device.h"
#include "tests/support/qcow2_image.h"
#include "tests/support/wrapped_device.h"

using namespace disklathe;
using namespace disklathe::qcow2;
using test::map_all;
using test::MemoryDevice;
using test::Qcow2Image;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t cluster = 65536;

// A device that is called as its path is.
class NamedDevice final : public test::WrappedDevice {
 public:
  NamedDevice(std::string name, const std::vector<std::byte>& content)
      : WrappedDevice(memory_), name_(std::move(name)), memory_(content) {}
  std::string_view name() const override { return name_; }

 private:
  std::string name_;
  MemoryDevice memory_;
};

// Files that exist only here, and what was asked about them.
struct Files {
  std::map<std::string, std::vector<std::byte>> content;
  std::vector<std::string> asked;
  bool allowed = true;

  FileOpener opener() {
    return {
        .open = [this](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
          const auto found = content.find(path);
          if (found == content.end()) return failure(os_failure(ENOENT, "open", path));
          return std::make_unique<NamedDevice>(path, found->second);
        },
        .allow = [this](const std::string& image, const Reference& reference, const std::string& path) -> Result<void> {
          asked.push_back(image + " names " + reference.name + ": " + path + (reference.by_guess ? ", guessed" : ""));
          if (!allowed) return failure(ErrorKind::refused, "open", "not allowed");
          return {};
        }};
  }
  Result<std::unique_ptr<Image>> open(const ImageRequest& request) { return Image::open(request, opener()); }
};

Qcow2Image overlay(std::string backing, std::string format = "qcow2", uint64_t size = 4 * cluster) {
  return Qcow2Image(8, {.size = size, .backing_file = std::move(backing), .backing_format = std::move(format)});
}

std::vector<std::byte> raw(uint64_t size, uint8_t value) { return std::vector(size, std::byte{value}); }

void expect(const Result<std::unique_ptr<Image>>& opened, ErrorKind kind, std::string_view subject,
            std::string_view cause) {
  QVERIFY2(!opened, "opened");
  QCOMPARE(opened.error().kind, kind);
  QCOMPARE(opened.error().operation, "open");
  QCOMPARE(opened.error().subject, subject);
  QVERIFY2(opened.error().cause.contains(cause), opened.error().cause.c_str());
}

// The first byte of each of the first clusters.
std::vector<int> first_bytes(Image& image, uint64_t clusters) {
  std::vector<int> values;
  for (uint64_t i = 0; i < clusters; ++i) {
    const auto bytes =
        test::read_guest(image, {i * cluster, 1}, [&](uint16_t f) -> BlockDevice& { return image.file(f); });
    values.push_back(bytes ? std::to_integer<int>(bytes->front()) : -1);
  }
  return values;
}

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT
 private slots:
  void asks_the_next_layer_about_holes() {
    Files files;
    Qcow2Image top = overlay("mid"), mid = overlay("base", "raw");
    top.set_l2(0, 4 * cluster);
    top.fill(4 * cluster, cluster, 1);
    mid.set_l2(0, 4 * cluster);
    mid.set_l2(1, 5 * cluster);
    mid.set_l2(2, entry_zero);
    mid.fill(4 * cluster, 2 * cluster, 2);
    files.content = {{"top", top.bytes}, {"mid", mid.bytes}, {"base", raw(4 * cluster, 3)}};
    const auto image = files.open({.path = "top"});
    QVERIFY(image.has_value());
    QCOMPARE(first_bytes(**image, 4), (std::vector{1, 2, 0, 3}));
    const auto extents = map_all(**image, {0, 4 * cluster});
    QCOMPARE(extents->size(), 4U);
    for (uint16_t i = 0; i < 4; ++i) QCOMPARE((*extents)[i].file, (std::vector<uint16_t>{0, 1, 1, 2})[i]);
    QCOMPARE((*image)->layers().size(), 3U);
    QCOMPARE((*image)->layer_of(2), 2U);
  }

  void leaves_holes_as_they_are_without_backing() {
    Files files;
    files.content = {{"top", overlay("base", "raw").bytes}};
    const auto image = files.open({.path = "top", .backing = false});
    QVERIFY(image.has_value());
    QCOMPARE(map_all(**image, {0, 4 * cluster})->at(0).kind, Kind::hole);
    QVERIFY(files.asked.empty());
    QCOMPARE((*image)->references().at(0).name, "base");
  }

  void reads_zeroes_behind_a_short_backing_image() {
    Files files;
    files.content = {{"top", overlay("base", "raw").bytes}, {"base", raw(cluster + 100, 9)}};
    const auto image = files.open({.path = "top"});
    const auto extents = map_all(**image, {0, 4 * cluster});
    const std::vector<Extent> expected{
        {.kind = Kind::data, .guest = {0, cluster + 100}, .file = 1, .host = {0, cluster + 100}},
        {.kind = Kind::hole, .guest = {cluster + 100, 3 * cluster - 100}}};
    QVERIFY(*extents == expected);
  }

  void clips_a_long_backing_image() {
    Files files;
    files.content = {{"top", overlay("base", "raw", 512).bytes}, {"base", raw(4 * cluster, 9)}};
    const auto image = files.open({.path = "top"});
    QCOMPARE((*image)->size(), 512U);
    QCOMPARE(map_all(**image, {0, 512})->at(0).guest, (Range{0, 512}));
  }

  void keeps_what_continues_in_one_extent() {
    Files files;
    Qcow2Image top = overlay("base", "raw", 1000 * cluster);
    top.set_l2(500, 4 * cluster);
    files.content = {{"top", top.bytes}, {"base", raw(1000 * cluster, 9)}};
    const auto image = files.open({.path = "top"});
    std::vector<Extent> extents;
    QVERIFY((*image)->map({0, 1000 * cluster}, extents));
    QCOMPARE(extents.size(), 3U);
  }

  void names_where_a_compressed_part_lies() {
    Files files;
    Qcow2Image base(8, {.cluster_bits = 16});
    base.set_l2(0, entry_compressed | (4 * cluster + 10));
    Qcow2Image top(20, {.cluster_bits = 12, .size = 4 * cluster, .backing_file = "base", .backing_format = "qcow2"});
    top.set_l2(1, 4 * 4096);
    files.content = {{"top", top.bytes}, {"base", base.bytes}};
    const auto image = files.open({.path = "top"});
    const auto extents = map_all(**image, {0, cluster});
    const std::vector<Extent> expected{{.kind = Kind::compressed,
                                        .guest = {0, 4096},
                                        .file = 1,
                                        .host = {4 * cluster + 10, 502},
                                        .decoded_length = cluster},
                                       {.kind = Kind::data, .guest = {4096, 4096}, .host = {4 * 4096, 4096}},
                                       {.kind = Kind::compressed,
                                        .guest = {8192, cluster - 8192},
                                        .file = 1,
                                        .host = {4 * cluster + 10, 502},
                                        .decoded_length = cluster,
                                        .decoded_skip = 8192}};
    QVERIFY(*extents == expected);
  }

  void finds_names_beside_the_image_that_names_them() {
    Files files;
    files.content = {{"dir/top", overlay("sub/mid").bytes},
                     {"dir/sub/mid", overlay("../base", "raw").bytes},
                     {"dir/sub/../base", raw(4 * cluster, 1)}};
    QVERIFY(files.open({.path = "dir/top"}).has_value());
    QCOMPARE(files.asked, (std::vector<std::string>{"dir/top names sub/mid: dir/sub/mid",
                                                    "dir/sub/mid names ../base: dir/sub/../base"}));
  }

  void opens_nothing_that_is_not_allowed() {
    Files files{.allowed = false};
    files.content = {{"top", overlay("base", "raw").bytes}, {"base", raw(cluster, 1)}};
    QCOMPARE(files.open({.path = "top"}).error().kind, ErrorKind::refused);
  }

  void opens_a_data_file_only_when_allowed_and_wanted() {
    Files files{.allowed = false};
    Qcow2Image top(8, {.incompatible_features = incompatible_data_file, .data_file = "data"});
    top.set_l2(0, entry_copied);
    files.content = {{"top", top.bytes}, {"data", raw(4 * cluster, 5)}};
    QCOMPARE(files.open({.path = "top"}).error().kind, ErrorKind::refused);
    const auto closed = files.open({.path = "top", .data_file = false});
    QVERIFY(closed.has_value());
    std::vector<Extent> extents;
    QCOMPARE((*closed)->map({0, 1}, extents).error().kind, ErrorKind::refused);
    files.allowed = true;
    const auto image = files.open({.path = "top"});
    QVERIFY(image.has_value());
    QCOMPARE(first_bytes(**image, 2), (std::vector{5, 0}));
    QCOMPARE((*image)->file_count(), 2U);
    QCOMPARE((*image)->layer_of(1), 0U);
  }

  void numbers_files_over_layers_with_data_files() {
    Files files;
    Qcow2Image top = overlay("mid");
    Qcow2Image mid(8, {.incompatible_features = incompatible_data_file,
                       .backing_file = "base",
                       .backing_format = "raw",
                       .data_file = "data"});
    mid.set_l2(1, entry_copied | cluster);
    files.content = {
        {"top", top.bytes}, {"mid", mid.bytes}, {"data", raw(4 * cluster, 5)}, {"base", raw(4 * cluster, 6)}};
    const auto image = files.open({.path = "top"});
    QVERIFY(image.has_value());
    QCOMPARE(first_bytes(**image, 3), (std::vector{6, 5, 6}));
  }

  void refuses_a_data_file_without_a_name() {
    Files files;
    files.content = {{"top", Qcow2Image(8, {.incompatible_features = incompatible_data_file}).bytes}};
    expect(files.open({.path = "top"}), ErrorKind::unsupported, "top", "does not name it");
  }

  void refuses_names_that_are_no_paths() {
    for (const char* name : {"json:{\"driver\":\"file\"}", "nbd:unix:/tmp/x", "nbd://host/", "fat:dir", "x:y"}) {
      Files files;
      files.content = {{"top", overlay(name).bytes}};
      expect(files.open({.path = "top"}), ErrorKind::unsupported, "top", "is not named by a path");
      QVERIFY(files.asked.empty());
    }
  }

  void takes_names_with_file_in_front_and_colons_behind() {
    Files files;
    files.content = {{"top", overlay("file:mid").bytes}, {"mid", overlay("./a:b", "raw").bytes}, {"./a:b", raw(1, 1)}};
    QVERIFY(files.open({.path = "top"}).has_value());
  }

  void never_probes_over_the_format_that_the_header_gives() {
    Files files;
    Qcow2Image guest_wrote = overlay("/etc/shadow", "raw");
    files.content = {{"top", overlay("base", "raw").bytes}, {"base", guest_wrote.bytes}};
    const auto image = files.open({.path = "top"});
    QVERIFY(image.has_value());
    QCOMPARE((*image)->layers().size(), 2U);
    QCOMPARE((*image)->layers()[1].format->name, "raw");
    QVERIFY(!(*image)->layers()[1].format_probed);
    QVERIFY((*image)->layers()[0].format_probed);
  }

  void says_when_a_backing_format_was_guessed() {
    Files files;
    files.content = {{"top", overlay("base", "").bytes}, {"base", Qcow2Image().bytes}};
    const auto image = files.open({.path = "top", .format = "qcow2"});
    QVERIFY(image.has_value());
    QVERIFY(!(*image)->layers()[0].format_probed);
    QVERIFY((*image)->layers()[1].format_probed);
    QCOMPARE((*image)->layers()[1].format->name, "qcow2");
  }

  // A raw disk whose guest wrote a qcow2 header into it must not get its names opened as if somebody had meant them.
  void says_when_a_name_comes_from_an_image_whose_format_was_guessed() {
    Files files;
    files.content = {
        {"top", overlay("middle", "").bytes}, {"middle", overlay("secret", "raw").bytes}, {"secret", raw(cluster, 1)}};
    QVERIFY(files.open({.path = "top"}).has_value());
    QCOMPARE(files.asked,
             (std::vector<std::string>{"top names middle: middle", "middle names secret: secret, guessed"}));
    files.asked.clear();
    files.content["top"] = overlay("middle", "qcow2").bytes;
    QVERIFY(files.open({.path = "top"}).has_value());
    QCOMPARE(files.asked.back(), "middle names secret: secret");
  }

  void refuses_formats_that_nobody_knows() {
    Files files;
    files.content = {{"top", overlay("base", "bochs\x1b[2J").bytes}, {"base", raw(1, 1)}};
    expect(files.open({.path = "top"}), ErrorKind::unsupported, "top", "\"bochs\\x1b[2J\"");
    expect(files.open({.path = "top", .format = "none"}), ErrorKind::unsupported, "top", "\"none\"");
  }

  void refuses_chains_that_come_back() {
    Files files;
    files.content = {{"a", overlay("b").bytes}, {"b", overlay("a").bytes}, {"self", overlay("self").bytes}};
    expect(files.open({.path = "a"}), ErrorKind::corrupt, "b", "already part");
    expect(files.open({.path = "self"}), ErrorKind::corrupt, "self", "already part");
  }

  void walks_two_hundred_layers_and_refuses_more() {
    Files files;
    // Layer i has cluster i, and all have the first one.
    for (uint64_t i = 0; i < 201; ++i) {
      Qcow2Image image =
          i == 200 ? Qcow2Image(8, {.size = 256 * cluster}) : overlay(std::to_string(i + 1), "qcow2", 256 * cluster);
      image.set_l2(i, 4 * cluster);
      image.fill(4 * cluster, cluster, static_cast<uint8_t>(i + 1));
      files.content.emplace(std::to_string(i), image.bytes);
    }
    const auto image = files.open({.path = "1"});
    QVERIFY(image.has_value());
    QCOMPARE((*image)->layers().size(), 200U);
    std::vector<Extent> extents;
    QVERIFY((*image)->map({0, 256 * cluster}, extents));
    QCOMPARE(extents.size(), 202U);  // a hole, 200 clusters, a hole
    QCOMPARE(first_bytes(**image, 202).at(200), 201);
    expect(files.open({.path = "0"}), ErrorKind::unsupported, "0", "200");
  }

  void names_the_file_that_fails() {
    Files files;
    Qcow2Image mid = overlay("base");
    mid.set_l2(0, 2);
    files.content = {{"top", overlay("mid").bytes}, {"mid", mid.bytes}, {"base", Qcow2Image().bytes}};
    const auto image = files.open({.path = "top"});
    std::vector<Extent> extents;
    const auto mapped = (*image)->map({0, cluster}, extents);
    QCOMPARE(mapped.error().subject, "mid");
    QCOMPARE(mapped.error().offset, std::optional<uint64_t>(3 * cluster));

    files.content["mid"] = raw(100, 0);
    expect(files.open({.path = "top"}), ErrorKind::corrupt, "mid", "magic");
    files.content.erase("mid");
    QCOMPARE(files.open({.path = "top"}).error().kind, ErrorKind::not_found);
  }

  void probes_content() {
    Files files;
    Qcow2Image newer;
    newer.set<uint32_t>(4, 9);
    files.content = {{"qcow2", Qcow2Image().bytes}, {"raw", raw(600, 1)}, {"empty", {}}, {"newer", newer.bytes}};
    QCOMPARE((*files.open({.path = "qcow2"}))->layers()[0].format->name, "qcow2");
    QCOMPARE((*files.open({.path = "raw"}))->layers()[0].format->name, "raw");
    QCOMPARE((*files.open({.path = "empty"}))->size(), 0U);
    expect(files.open({.path = "newer"}), ErrorKind::unsupported, "newer", "version 9");
    QCOMPARE((*files.open({.path = "qcow2", .format = "raw"}))->size(), files.content["qcow2"].size());
  }

  void refuses_ranges_outside_of_the_disk() {
    Files files;
    files.content = {{"raw", raw(600, 1)}};
    const auto image = files.open({.path = "raw"});
    std::vector<Extent> extents;
    QCOMPARE((*image)->map({0, 601}, extents).error().kind, ErrorKind::invalid);
    QCOMPARE((*image)->map({600, 1}, extents).error().kind, ErrorKind::invalid);
    QCOMPARE((*image)->map({5, 0}, extents).error().kind, ErrorKind::invalid);
  }
};

QTEST_GUILESS_MAIN(LayersTest)
#include "layers_test.moc"
