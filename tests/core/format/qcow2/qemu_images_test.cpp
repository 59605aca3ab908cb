// SPDX-License-Identifier: GPL-3.0-or-later
// TIMEOUT: 180
//
// Images that QEMU made, in every option that the specification has: content and map are what qemu-img says they are.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/device/file_device.h"
#include "core/format/layers.h"
#include "tests/support/guest.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::map_all;
using test::read_file;
using test::read_guest;
using test::run_program;
using test::TempDir;

namespace {

void run(const std::vector<std::string>& arguments) {
  const auto result = run_program(arguments);
  if (result.status != 0) qFatal("%s: %s%s", arguments[1].c_str(), result.output.c_str(), result.errors.c_str());
}

void qemu_io(const std::string& path, const std::vector<std::string>& commands, const std::string& format = "qcow2") {
  std::vector<std::string> arguments{"qemu-io", "-f", format};
  for (const auto& command : commands) arguments.insert(arguments.end(), {"-c", command});
  arguments.push_back(path);
  const auto result = run_program(arguments);
  if (result.status != 0) qFatal("qemu-io: %s%s", result.output.c_str(), result.errors.c_str());
}

FileOpener opener() {
  return {.open = [](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
            return FileDevice::open({.path = path, .cache = CacheMode::writeback});
          },
          .allow = [](const std::string&, const Reference&, const std::string&) { return Result<void>{}; }};
}

std::unique_ptr<Image> open(const ImageRequest& request) {
  auto image = Image::open(request, opener());
  if (!image) qFatal("%s: %s", image.error().subject.c_str(), image.error().cause.c_str());
  return std::move(*image);
}

std::string content_of(Image& image) {
  const auto bytes = read_guest(image, {0, image.size()}, [&](uint16_t i) -> BlockDevice& { return image.file(i); });
  if (!bytes) qFatal("%s", bytes.error().cause.c_str());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// As `qemu-img map --output=json` says it. Data that its file has as a hole is data here: qemu-img looks for such holes
// when an image seems to have preallocated metadata, readers never do.
struct Entry {
  uint64_t start = 0, length = 0;
  int depth = 0;
  bool present = false, zero = false, data = false, compressed = false;
  std::optional<uint64_t> offset;
  bool operator==(const Entry&) const = default;
};

std::string text_of(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& e : entries) {
    text += QStringLiteral("%1+%2 depth %3 %4%5%6%7 at %8\n")
                .arg(e.start)
                .arg(e.length)
                .arg(e.depth)
                .arg(e.present ? "P" : "-")
                .arg(e.zero ? "Z" : "-")
                .arg(e.data ? "D" : "-")
                .arg(e.compressed ? "C" : "-")
                .arg(e.offset ? qint64(*e.offset) : -1)
                .toStdString();
  }
  return text;
}

std::vector<Entry> merged(const std::vector<Entry>& entries) {
  std::vector<Entry> out;
  for (const Entry& entry : entries) {
    if (!out.empty()) {
      Entry expected = out.back();
      expected.start += expected.length;
      if (expected.offset) *expected.offset += expected.length;
      expected.length = entry.length;
      if (expected == entry) {
        out.back().length += entry.length;
        continue;
      }
    }
    out.push_back(entry);
  }
  return out;
}

std::vector<Entry> our_map(Image& image) {
  std::vector<Entry> entries;
  const auto extents = map_all(image, {0, image.size()});
  if (!extents) qFatal("%s", extents.error().cause.c_str());
  for (const Extent& extent : *extents) {
    const bool data = !reads_zero(extent);
    const bool compressed = extent.kind == Extent::Kind::compressed;
    const bool has_offset = !extent.host.empty() && !compressed;
    entries.push_back({.start = extent.guest.at,
                       .length = extent.guest.length,
                       .depth = static_cast<int>(image.layer_of(extent.file)),
                       .present = extent.kind != Extent::Kind::hole,
                       .zero = !data,
                       .data = data,
                       .compressed = compressed,
                       .offset = has_offset ? std::optional(extent.host.at) : std::nullopt});
  }
  return merged(entries);
}

std::vector<Entry> qemu_map(const std::string& path, const std::string& format) {
  const auto result = run_program({"qemu-img", "map", "--output=json", "-f", format, path});
  if (result.status != 0) qFatal("%s", result.errors.c_str());
  std::vector<Entry> entries;
  const auto array = QJsonDocument::fromJson(QByteArray::fromStdString(result.output)).array();
  for (const auto& value : array) {
    const auto object = value.toObject();
    Entry entry{.start = static_cast<uint64_t>(object["start"].toInteger()),
                .length = static_cast<uint64_t>(object["length"].toInteger()),
                .depth = object["depth"].toInt(),
                .present = object["present"].toBool(),
                .zero = object["zero"].toBool() && !object["data"].toBool(),
                .data = object["data"].toBool(),
                .compressed = object["compressed"].toBool()};
    if (object.contains("offset")) entry.offset = static_cast<uint64_t>(object["offset"].toInteger());
    entries.push_back(entry);
  }
  return merged(entries);
}

void compare_content(const TempDir& folder, const std::string& path, const std::string& format = "qcow2",
                     const std::string& snapshot = {}) {
  const std::string raw = folder.file("expected.raw");
  std::vector<std::string> convert{"qemu-img", "convert", "-f", format, "-O", "raw"};
  if (!snapshot.empty()) convert.insert(convert.end(), {"-l", snapshot});
  convert.insert(convert.end(), {path, raw});
  run(convert);
  const auto image = open({.path = path, .format = format, .snapshot = snapshot});
  const std::string expected = read_file(raw), actual = content_of(*image);
  QCOMPARE(actual.size(), expected.size());
  const auto differs = std::ranges::mismatch(actual, expected).in1 - actual.begin();
  QVERIFY2(actual == expected, qPrintable(QStringLiteral("differs at %1").arg(differs)));
}

void compare_map(const std::string& path, const std::string& format = "qcow2") {
  const auto image = open({.path = path, .format = format});
  const auto ours = our_map(*image), theirs = qemu_map(path, format);
  QVERIFY2(ours == theirs, ("ours:\n" + text_of(ours) + "qemu-img's:\n" + text_of(theirs)).c_str());
}

// Data in one piece and in crumbs, zeroes of every sort, discarded clusters.
std::vector<std::string> busy_commands(uint64_t cluster) {
  const auto at = [&](uint64_t clusters, uint64_t rest = 0) { return std::to_string(clusters * cluster + rest); };
  return {"write -P 1 0 " + at(3),
          "write -P 2 " + at(5, 100) + " 700",
          "write -P 3 " + at(8, cluster - 512) + " 1024",
          "write -z " + at(12) + " " + at(2),
          "write -P 4 " + at(15) + " " + at(3),
          "write -z " + at(16) + " " + at(1),
          "write -z -u " + at(17) + " " + at(1),
          "discard " + at(1) + " " + at(1),
          "write -P 5 " + at(20) + " " + at(1),
          "write -P 6 " + at(19) + " " + at(1)};
}

}  // namespace

class QemuImagesTest : public QObject {
  Q_OBJECT
 private slots:
  void reads_what_qemu_wrote_data() {
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<int>("bits");
    QTest::addColumn<bool>("compressed");
    const auto row = [](const std::string& options, int bits, bool compressed = false) {
      const std::string all = options + (options.empty() ? "" : ",") + "cluster_size=" + std::to_string(1 << bits);
      QTest::newRow((all + (compressed ? " compressed" : "")).c_str())
          << QByteArray::fromStdString(all) << bits << compressed;
    };
    row("", 16);
    for (int bits = 9; bits <= 21; ++bits) row("", bits, true);
    for (const int bits : {9, 12, 16, 21}) row("compat=0.10", bits, true);
    for (const int bits : {9, 12, 16, 21}) row("compression_type=zstd", bits, true);
    for (const int bits : {14, 16, 18, 21}) row("extended_l2=on", bits);
    row("extended_l2=on", 16, true);
    row("extended_l2=on,compression_type=zstd", 14, true);
    for (const int width : {1, 2, 4, 8, 32, 64}) row("refcount_bits=" + std::to_string(width), 16);
    row("lazy_refcounts=on", 16);
    row("preallocation=metadata", 16);
    row("preallocation=falloc", 16);
    row("preallocation=full", 12);
    row("extended_l2=on,preallocation=metadata", 16);
  }
  void reads_what_qemu_wrote() {
    QFETCH(QByteArray, options);
    QFETCH(int, bits);
    QFETCH(bool, compressed);
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    const uint64_t cluster = uint64_t{1} << bits;
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", options.toStdString(), path,
         std::to_string(24 * cluster + 1536)});
    auto commands = busy_commands(cluster);
    if (compressed) {
      for (const uint64_t at : {5U, 6U, 7U, 10U, 22U}) {
        commands.insert(commands.begin(), "write -c -P " + std::to_string(at + 60) + " " +
                                              std::to_string(at * cluster) + " " + std::to_string(cluster));
      }
      commands.push_back("write -c -P 99 " + std::to_string(23 * cluster) + " " + std::to_string(cluster));
    }
    qemu_io(path, commands);
    compare_content(folder, path);
    compare_map(path);
  }

  void knows_what_preallocated_clusters_are_not_there() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", "preallocation=metadata", path, "64G"});
    qemu_io(path, {"write -P 1 32G 1M"});
    const auto image = open({.path = path, .file_holes = true});
    const auto extents = map_all(*image, {0, image->size()});
    QVERIFY(extents.has_value());
    uint64_t data = 0;
    for (const Extent& extent : *extents) data += reads_zero(extent) ? 0 : extent.guest.length;
    QCOMPARE(data, uint64_t{1} << 20);
  }

  void reads_external_data_files_data() {
    QTest::addColumn<QByteArray>("options");
    QTest::newRow("plain") << QByteArray();
    QTest::newRow("raw") << QByteArray(",data_file_raw=on");
    QTest::newRow("extended") << QByteArray(",extended_l2=on");
  }
  void reads_external_data_files() {
    QFETCH(QByteArray, options);
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", "data_file=" + folder.file("data") + options.toStdString(),
         path, "1573888"});
    qemu_io(path, busy_commands(65536));
    compare_content(folder, path);
    compare_map(path);
  }

  void reads_compressed_by_convert_data() {
    QTest::addColumn<QByteArray>("type");
    QTest::newRow("zlib") << QByteArray("zlib");
    QTest::newRow("zstd") << QByteArray("zstd");
  }
  void reads_compressed_by_convert() {
    QFETCH(QByteArray, type);
    const TempDir folder(TempDir::Where::memory);
    std::string content;
    for (int64_t i = 0; content.size() < (5 << 20); ++i) content += std::to_string(i * 7919) + (i % 50 ? " " : "\n");
    content.resize(5 << 20);
    test::write_file(folder.file("in.raw"), content);
    run({"qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-c", "-o", "compression_type=" + type.toStdString(),
         folder.file("in.raw"), folder.file("image.qcow2")});
    const auto image = open({.path = folder.file("image.qcow2")});
    QVERIFY(content_of(*image) == content);
    compare_map(folder.file("image.qcow2"));
  }

  void reads_internal_snapshots() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", path, "4M"});
    qemu_io(path, {"write -P 1 0 2M"});
    run({"qemu-img", "snapshot", "-c", "first", path});
    qemu_io(path, {"write -P 2 1M 2M", "write -z 0 128k"});
    run({"qemu-img", "snapshot", "-c", "second one", path});
    qemu_io(path, {"write -P 3 0 4M"});
    compare_content(folder, path);
    compare_content(folder, path, "qcow2", "first");
    compare_content(folder, path, "qcow2", "second one");
    const auto image = open({.path = path, .snapshot = "2"});
    const auto& snapshots = image->facts().snapshots;
    QCOMPARE(snapshots.size(), 2U);
    QCOMPARE(snapshots[0].id, "1");
    QCOMPARE(snapshots[0].name, "first");
    QCOMPARE(snapshots[1].name, "second one");
    QCOMPARE(snapshots[1].disk_size, uint64_t{4 << 20});
    QCOMPARE(snapshots[1].vm_state_size, 0U);
    QVERIFY(snapshots[1].date_seconds > 1600000000);
    QCOMPARE(Image::open({.path = path, .snapshot = "third"}, opener()).error().kind, ErrorKind::not_found);
  }

  void reads_a_snapshot_in_the_size_it_had() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", path, "1M"});
    qemu_io(path, {"write -P 1 0 1M"});
    run({"qemu-img", "snapshot", "-c", "small", path});
    run({"qemu-img", "resize", "-q", path, "3M"});
    const auto image = open({.path = path, .snapshot = "small"});
    QCOMPARE(image->size(), uint64_t{1 << 20});
    QVERIFY(content_of(*image) == std::string(1 << 20, '\1'));
  }

  void reads_chains_data() {
    QTest::addColumn<QByteArray>("top");
    QTest::addColumn<QByteArray>("middle");
    QTest::addColumn<int>("base_size");
    QTest::newRow("equal") << QByteArray("cluster_size=64k") << QByteArray("cluster_size=64k") << (4 << 20);
    QTest::newRow("small base") << QByteArray("cluster_size=64k") << QByteArray("cluster_size=4k") << 1000448;
    QTest::newRow("large base") << QByteArray("cluster_size=64k") << QByteArray("cluster_size=64k") << (9 << 20);
    QTest::newRow("small clusters over large")
        << QByteArray("cluster_size=4k") << QByteArray("cluster_size=2M") << (4 << 20);
    QTest::newRow("subclusters") << QByteArray("extended_l2=on,cluster_size=64k") << QByteArray("cluster_size=512")
                                 << (4 << 20);
    QTest::newRow("version 2") << QByteArray("compat=0.10") << QByteArray("compat=0.10,cluster_size=1k") << (4 << 20);
  }
  void reads_chains() {
    QFETCH(QByteArray, top);
    QFETCH(QByteArray, middle);
    QFETCH(int, base_size);
    const TempDir folder(TempDir::Where::memory);
    const std::string base = folder.file("base.raw"), mid = folder.file("mid.qcow2"), path = folder.file("top.qcow2");
    run({"qemu-img", "create", "-q", "-f", "raw", base, std::to_string(base_size)});
    qemu_io(base, {"write -P 1 0 300k", "write -P 2 700k 100k"}, "raw");
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", middle.toStdString(), "-b", "base.raw", "-F", "raw", mid,
         "4M"});
    qemu_io(mid, {"write -P 3 200k 90k", "write -z 64k 64k", "write -P 4 2M 1M", "write -z 2300k 33k"});
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", top.toStdString(), "-b", "mid.qcow2", "-F", "qcow2", path,
         "5M"});
    qemu_io(path, {"write -P 5 210k 5k", "write -P 6 2500k 2k", "write -z 2600k 128k", "write -P 7 4500k 10k"});
    compare_content(folder, path);
    compare_map(path);
  }

  void reads_parts_of_compressed_clusters_through_a_layer() {
    const TempDir folder(TempDir::Where::memory);
    const std::string raw = folder.file("in.raw"), mid = folder.file("mid.qcow2"), path = folder.file("top.qcow2");
    std::string content;
    for (int i = 0; content.size() < (4 << 20); ++i) content += std::to_string(i);
    content.resize(4 << 20);
    test::write_file(raw, content);
    run({"qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-c", "-o", "cluster_size=2M", raw, mid});
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", "cluster_size=4k", "-b", "mid.qcow2", "-F", "qcow2", path});
    qemu_io(path, {"write -P 5 8k 4k", "write -P 6 2500k 2k"});
    compare_content(folder, path);
    compare_map(path);
  }

  void reads_a_raw_file_of_any_size() {
    const TempDir folder(TempDir::Where::memory);
    const std::string content(70001, 'x');
    test::write_file(folder.file("odd"), content);
    const auto image = open({.path = folder.file("odd")});
    QCOMPARE(image->size(), 70001U);
    QVERIFY(content_of(*image) == content);
    QVERIFY(image->layers()[0].format_probed);
  }

  void maps_raw_files_alike() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.raw");
    run({"qemu-img", "create", "-q", "-f", "raw", path, "8M"});
    qemu_io(path, {"write -P 1 1M 300k", "write -P 2 3M 64k"}, "raw");
    compare_content(folder, path, "raw");
    compare_map(path, "raw");
  }

  void maps_a_huge_disk_alike_data() {
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<QByteArray>("size");
    QTest::newRow("16T") << QByteArray("cluster_size=64k") << QByteArray("16T");
    QTest::newRow("64T") << QByteArray("cluster_size=64k") << QByteArray("64T");
    QTest::newRow("1P") << QByteArray("cluster_size=2M") << QByteArray("1P");
    QTest::newRow("128G of 512") << QByteArray("cluster_size=512") << QByteArray("128G");
    QTest::newRow("16T extended") << QByteArray("cluster_size=128k,extended_l2=on") << QByteArray("16T");
  }
  void maps_a_huge_disk_alike() {
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, size);
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", options.toStdString(), path, size.toStdString()});
    const std::string end = size == "1P" ? "1023T" : size == "128G of 512" ? "127G" : "100G";
    qemu_io(path, {"write -P 1 0 64k", "write -P 2 " + end + " 1M"});
    compare_map(path);
  }

  void warns_of_a_dirty_and_corrupt_image() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", path, "1M"});
    std::string bytes = read_file(path);
    bytes[79] = 3;
    test::write_file(path, bytes);
    const auto image = open({.path = path});
    QCOMPARE(image->facts().dirty, std::optional(true));
    QCOMPARE(image->facts().corrupt, std::optional(true));
    QCOMPARE(image->facts().warnings.size(), 2U);
  }

  void lists_bitmaps() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", path, "1M"});
    run({"qemu-img", "bitmap", "--add", "-g", "32k", path, "backup"});
    run({"qemu-img", "bitmap", "--add", "--disable", path, "other"});
    const auto image = open({.path = path});
    const auto& specific = image->facts().specific;
    const auto found = std::ranges::find(specific, "bitmaps", &Property::key);
    QVERIFY(found != specific.end());
    const auto& bitmaps = std::get<std::vector<Property>>(found->value);
    QCOMPARE(bitmaps.size(), 2U);
    const auto& first = std::get<std::vector<Property>>(bitmaps[0].value);
    QCOMPARE(std::get<std::string>(first[1].value), "backup");
    QCOMPARE(std::get<uint64_t>(first[2].value), 32768U);
    QCOMPARE(std::get<std::vector<Property>>(first[0].value).size(), 1U);
    const auto& second = std::get<std::vector<Property>>(bitmaps[1].value);
    QVERIFY(std::get<std::vector<Property>>(second[0].value).empty());
    QVERIFY(image->facts().warnings.empty());
  }

  void says_what_is_encrypted() {
    const TempDir folder(TempDir::Where::memory);
    const std::string path = folder.file("image.qcow2");
    run({"qemu-img", "create", "-q", "-f", "qcow2", "--object", "secret,id=s,data=pass", "-o",
         "encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10", path, "1M"});
    const auto image = open({.path = path});
    QCOMPARE(image->facts().encrypted, std::optional(true));
  }
};

QTEST_GUILESS_MAIN(QemuImagesTest)
#include "qemu_images_test.moc"
