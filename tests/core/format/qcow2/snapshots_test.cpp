// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/snapshots.h"

#include <QTest>

#include "core/format/qcow2/bitmaps.h"
#include "core/format/qcow2/reader.h"
#include "tests/support/memory_device.h"
#include "tests/support/qcow2_image.h"

using namespace disklathe;
using namespace disklathe::qcow2;
using test::MemoryDevice;
using test::Qcow2Image;

namespace {

constexpr uint64_t cluster = 65536, table = 4 * cluster, other_l1 = 5 * cluster;

// One snapshot, "7" named "before", with an L1 table of its own in cluster 5.
struct WithSnapshot : Qcow2Image {
  WithSnapshot() : Qcow2Image(8) {
    header.nb_snapshots = 1;
    header.snapshots_offset = table;
    write_header();
    set<uint64_t>(table, other_l1);
    set<uint32_t>(table + 8, 1);
    set<uint16_t>(table + 12, 1);
    set<uint16_t>(table + 14, 6);
    set<uint32_t>(table + 16, 1700000000);
    set<uint32_t>(table + 20, 5);
    set<uint64_t>(table + 24, 99);
    set<uint32_t>(table + 32, 11);
    set<uint32_t>(table + 36, 24);
    set<uint64_t>(table + 40, 1ULL << 33);
    set<uint64_t>(table + 48, 2 * cluster);
    set<uint64_t>(table + 56, UINT64_MAX);
    std::memcpy(bytes.data() + table + 64, "7before", 7);
  }
  Result<std::unique_ptr<ImageReader>> opened(std::string snapshot = {}) const {
    static std::vector<std::unique_ptr<MemoryDevice>> files;
    files.push_back(std::make_unique<MemoryDevice>(bytes));
    return qcow2::open({.file = files.back().get(), .snapshot = std::move(snapshot)});
  }
};

void expect_corrupt(const Result<std::unique_ptr<ImageReader>>& opened, std::string_view cause) {
  QVERIFY2(!opened, "accepted");
  QCOMPARE(opened.error().kind, ErrorKind::corrupt);
  QCOMPARE(opened.error().offset, std::optional(table));
  QVERIFY2(opened.error().cause.contains(cause), opened.error().cause.c_str());
}

}  // namespace

class SnapshotsTest : public QObject {
  Q_OBJECT
 private slots:
  void reads_every_field() {
    const auto reader = WithSnapshot().opened();
    QVERIFY(reader.has_value());
    const Snapshot& snapshot = (*reader)->facts().snapshots.at(0);
    QCOMPARE(snapshot.id, "7");
    QCOMPARE(snapshot.name, "before");
    QCOMPARE(snapshot.disk_size, 2 * cluster);
    QCOMPARE(snapshot.vm_state_size, 1ULL << 33);
    QCOMPARE(snapshot.date_seconds, 1700000000U);
    QCOMPARE(snapshot.date_nanoseconds, 5U);
    QCOMPARE(snapshot.vm_clock_nanoseconds, 99U);
    QVERIFY(!snapshot.icount);
  }

  void does_without_extra_data() {
    WithSnapshot image;
    image.set<uint32_t>(table + 36, 0);
    std::memcpy(image.bytes.data() + table + 40, "7before", 7);
    const auto reader = image.opened();
    QVERIFY(reader.has_value());
    const Snapshot& snapshot = (*reader)->facts().snapshots.at(0);
    QCOMPARE(snapshot.name, "before");
    QCOMPARE(snapshot.vm_state_size, 11U);
    QCOMPARE(snapshot.disk_size, image.header.size);
  }

  void reads_the_snapshots_own_table() {
    const WithSnapshot image;
    for (const char* name : {"7", "before"}) {
      const auto reader = image.opened(name);
      QVERIFY(reader.has_value());
      QCOMPARE((*reader)->size(), 2 * cluster);
      std::vector<Extent> extents;
      QVERIFY((*reader)->map({0, 2 * cluster}, extents));
      QCOMPARE(extents.at(0).kind, Extent::Kind::hole);
    }
  }

  void prefers_the_id_to_the_name() {
    WithSnapshot image;
    image.header.nb_snapshots = 2;
    image.write_header();
    std::copy_n(image.bytes.begin() + table, 72, image.bytes.begin() + table + 72);
    image.set<uint64_t>(table + 72 + 48, 4 * cluster);
    std::memcpy(image.bytes.data() + table + 72 + 64, "before7", 7);  // id "b", name "efore7"
    image.set<uint16_t>(table + 72 + 12, 6);                          // id "before", name "7"
    image.set<uint16_t>(table + 72 + 14, 1);
    QCOMPARE((*image.opened("before"))->size(), 4 * cluster);
    QCOMPARE((*image.opened("7"))->size(), 2 * cluster);
  }

  void says_when_there_is_no_such_snapshot() {
    const auto reader = WithSnapshot().opened("after");
    QCOMPARE(reader.error().kind, ErrorKind::not_found);
  }

  void opens_the_active_state_beside_a_damaged_snapshot() {
    WithSnapshot image;
    image.set<uint64_t>(table, 77);
    QVERIFY(image.opened().has_value());
    expect_corrupt(image.opened("7"), "boundary");
  }

  void refuses_bad_l1_tables() {
    const auto with = [](auto change) {
      WithSnapshot image;
      change(image);
      return image.opened("7");
    };
    expect_corrupt(with([](auto& i) { i.template set<uint64_t>(table, 0); }), "overlaps the header");
    expect_corrupt(with([](auto& i) { i.template set<uint64_t>(table, 8 * cluster); }), "inside the file");
    expect_corrupt(with([](auto& i) { i.template set<uint64_t>(table, 0xffffffffffff0000); }), "inside the file");
    expect_corrupt(with([](auto& i) { i.template set<uint32_t>(table + 8, 0x400001); }), "entries");
    expect_corrupt(with([](auto& i) { i.template set<uint32_t>(table + 8, 0x400000); }), "inside the file");
    expect_corrupt(with([](auto& i) { i.template set<uint32_t>(table + 8, 0); }), "too small");
    expect_corrupt(with([](auto& i) { i.template set<uint64_t>(table + 48, 1ULL << 63); }), "disk size");
  }

  void refuses_entries_outside_of_the_file() {
    WithSnapshot image;
    image.set<uint32_t>(60, 65536);
    // All zero entries, 40 bytes each, from the second on: the file ends before them.
    const auto opened = image.opened();
    QVERIFY(!opened);
    QCOMPARE(opened.error().kind, ErrorKind::corrupt);
  }

  void refuses_much_extra_data() {
    WithSnapshot image;
    image.set<uint32_t>(table + 36, 0xffffffff);
    expect_corrupt(image.opened(), "extra data");
  }

  void refuses_a_name_past_the_end() {
    WithSnapshot image;
    image.set<uint16_t>(table + 14, 0xffff);
    image.bytes.resize(table + 4096);
    expect_corrupt(image.opened(), "inside the file");
  }

  void only_warns_of_damaged_bitmaps() {
    Qcow2Image image;
    image.set<uint32_t>(112, static_cast<uint32_t>(ExtensionType::bitmaps));
    image.set<uint32_t>(116, 24);
    image.set<uint32_t>(120, 1);
    image.set<uint64_t>(128, 40);
    image.set<uint64_t>(136, 4 * cluster);
    MemoryDevice inconsistent(image.bytes);
    QVERIFY((*qcow2::open({.file = &inconsistent}))->facts().warnings.at(0).contains("inconsistent"));

    image.set<uint64_t>(88, autoclear_bitmaps);
    image.set<uint64_t>(4 * cluster, 5 * cluster);
    image.set<uint32_t>(4 * cluster + 8, 1);
    image.set<uint16_t>(4 * cluster + 18, 1);
    image.set<uint8_t>(4 * cluster + 17, 16);
    image.set<uint8_t>(4 * cluster + 24, 'b');
    MemoryDevice good(image.bytes);
    QVERIFY((*qcow2::open({.file = &good}))->facts().warnings.empty());
    QCOMPARE((*qcow2::open({.file = &good}))->facts().bitmaps, std::vector<std::string>{"b"});

    const std::pair<uint64_t, uint64_t> damages[] = {{136, 0},          {136, 8 * cluster}, {136, 4 * cluster + 512},
                                                     {128, 23},         {128, UINT64_MAX},  {120, 0},
                                                     {120, 2ULL << 32}, {4 * cluster, 0}};
    for (const auto& [at, value] : damages) {
      Qcow2Image bent = image;
      bent.set<uint64_t>(at, value);
      MemoryDevice file(bent.bytes);
      const auto reader = qcow2::open({.file = &file});
      QVERIFY(reader.has_value());
      QCOMPARE((*reader)->facts().warnings.size(), 1U);
    }
  }
};

QTEST_GUILESS_MAIN(SnapshotsTest)
#include "snapshots_test.moc"
