// SPDX-License-Identifier: GPL-3.0-or-later
// TIMEOUT: 120
#include <QtTest>
#include <map>
#include <random>
#include <set>

#include "core/base/endian.h"
#include "core/format/qcow2/check.h"
#include "tests/support/edited_disk.h"
#include "tests/support/faulty_device.h"
#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/qemu_img.h"

using namespace disklathe;
using test::EditedDisk;
using test::FaultyDevice;
using test::ImageToEdit;
using test::MemoryDevice;

namespace {

constexpr uint64_t sector = 512;
constexpr uint64_t size = 1 << 20;

// What was asked of the disk, in the order it was, and how many changes its file had seen before and after.
struct Step {
  enum class Kind : uint8_t { write, zero, trim, flush } kind;
  Range range;
  uint64_t value = 0;  // that fills the sectors
  size_t begun = 0, done = 0;
};

std::vector<std::byte> filled(uint64_t length, uint64_t value) {
  std::vector<std::byte> bytes(length);
  for (uint64_t at = 0; at < length; at += 8) store_be(MutableBytes(bytes), at, value);
  return bytes;
}

std::vector<Step> steps_by_chance(std::mt19937& random, size_t count) {
  std::vector<Step> steps;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t at = random() % (size / sector), longest = random() % 4 ? 24 : 400;
    const Range range{at * sector, std::min<uint64_t>(1 + random() % longest, size / sector - at) * sector};
    const uint64_t kind = random() % 12;
    steps.push_back({.kind = kind < 6    ? Step::Kind::write
                             : kind < 8  ? Step::Kind::zero
                             : kind < 10 ? Step::Kind::trim
                                         : Step::Kind::flush,
                     .range = range,
                     .value = 0x6400000000000000 + i});
  }
  return steps;
}

Result<void> carry_out(EditedDisk& disk, const Step& step) {
  switch (step.kind) {
    case Step::Kind::write: return disk.write(step.range.at, filled(step.range.length, step.value));
    case Step::Kind::zero: return disk.zero(step.range, step.value % 5 == 0);
    case Step::Kind::trim: return disk.trim(step.range);
    case Step::Kind::flush: return disk.flush();
  }
  return {};
}

// For each sector what it may hold when the power goes after so many changes.
class Expected {
 public:
  Expected(const std::vector<std::byte>& guest, const std::vector<Step>& steps, size_t until) : guest_(guest) {
    size_t flushed = 0;
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind == Step::Kind::flush && steps[i].done < until) flushed = i;
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (step.kind == Step::Kind::flush || step.begun >= until) continue;
      for (uint64_t at = step.range.at; at < step.range.end(); at += sector) {
        std::set<uint64_t>& values = values_[at];
        if (values.empty()) values.insert(load_be<uint64_t>(guest_, at));
        // A trim may leave what was there.
        if (i < flushed && step.kind != Step::Kind::trim) values.clear();
        values.insert(step.kind == Step::Kind::write ? step.value : 0);
      }
    }
  }

  // The first sector that holds something else.
  std::optional<uint64_t> first_wrong(const std::vector<std::byte>& found) const {
    for (uint64_t at = 0; at < size; at += sector) {
      const Bytes bytes = Bytes(found).subspan(at, sector);
      const auto touched = values_.find(at);
      if (touched == values_.end()) {
        if (!std::ranges::equal(bytes, Bytes(guest_).subspan(at, sector))) return at;
        continue;
      }
      const auto value = load_be<uint64_t>(bytes);
      const bool original = std::ranges::equal(bytes, Bytes(guest_).subspan(at, sector));
      const bool one_value = std::ranges::equal(bytes, filled(sector, value));
      if (!touched->second.contains(value) || (!original && !one_value)) return at;
    }
    return std::nullopt;
  }

 private:
  const std::vector<std::byte>& guest_;
  std::map<uint64_t, std::set<uint64_t>> values_;
};

}  // namespace

class EditCrashTest : public QObject {
  Q_OBJECT

  // What is left of the image is sound, and holds what it may.
  static std::string judge(const ImageToEdit& made, std::vector<std::byte> content, const Expected& expected) {
    MemoryDevice image(std::move(content)), base(made.base());
    const auto report = qcow2::check({.file = &image, .data_file = nullptr, .extents = {}});
    if (!report) return "check: " + test::describe(report.error());
    if (report->corruptions || report->check_errors) return "damaged: " + report->findings[0].what;
    auto disk = EditedDisk::open({.image = &image, .base = &base});
    if (!disk) return "open: " + test::describe(disk.error());
    const auto guest = disk->read({0, size});
    if (!guest) return "read: " + test::describe(guest.error());
    if (const auto wrong = expected.first_wrong(*guest)) return "wrong bytes at " + std::to_string(*wrong);
    if (!made.kind().snapshot) return {};
    auto reader = find_format("qcow2")->open({.file = &image, .snapshot = "one"});
    if (!reader) return "snapshot: " + test::describe(reader.error());
    const auto extents = test::map_all(**reader, {0, size});
    if (!extents) return "snapshot: " + test::describe(extents.error());
    for (const Extent& extent : *extents) {
      if (extent.kind != Extent::Kind::data) continue;
      const auto then = Bytes(made.snapshot()).subspan(extent.guest.at, extent.guest.length);
      if (!std::ranges::equal(Bytes(image.content()).subspan(extent.host.at, extent.host.length), then))
        return "the snapshot is another at " + std::to_string(extent.guest.at);
    }
    return {};
  }

  static void eachKind() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("backing");
    QTest::addColumn<bool>("snapshot");
    QTest::addColumn<int>("filled");
    QTest::addColumn<bool>("punched");
    QTest::addRow("4k") << "cluster_size=4k" << false << true << 0 << true;
    QTest::addRow("4k backing") << "cluster_size=4k" << true << true << 0 << true;
    QTest::addRow("512, tables that grow") << "cluster_size=512,refcount_bits=64" << false << false << 0 << true;
    QTest::addRow("v2") << "cluster_size=4k,compat=0.10" << true << true << 0 << true;
    QTest::addRow("extended") << "cluster_size=16k,extended_l2=on" << true << true << 0 << true;
    QTest::addRow("refcount_bits=1") << "cluster_size=8k,refcount_bits=1" << false << false << 0 << true;
    QTest::addRow("what is freed stays as it was")
        << "cluster_size=512,refcount_bits=16" << false << true << 0 << false;
    // One cluster of its refcount table is good for 2 MiB of the file.
    QTest::addRow("a table that moves") << "cluster_size=512,refcount_bits=64" << false << false << 1'250'000 << true;
  }
  static std::unique_ptr<ImageToEdit> image() {
    QFETCH(QString, options);
    QFETCH(bool, backing);
    QFETCH(bool, snapshot);
    QFETCH(int, filled);
    // Its compressed clusters lie behind the part that is written.
    return std::make_unique<ImageToEdit>(ImageToEdit::Kind{.options = options.toStdString(),
                                                           .backing = backing,
                                                           .snapshot = snapshot,
                                                           .compressed = false,
                                                           .size = filled ? size * 4 : size * 2,
                                                           .filled = static_cast<uint64_t>(filled)});
  }
  static uint64_t refcount_table_of(const std::vector<std::byte>& image) {
    constexpr size_t refcount_table_offset = 48;
    return load_be<uint64_t>(image, refcount_table_offset);
  }

 private slots:
  void whatWasFlushedIsThereWhateverTheWriteCacheLost_data() { eachKind(); }
  void whatWasFlushedIsThereWhateverTheWriteCacheLost() {
    const auto made = image();
    FINE(made->wrong());
    std::mt19937 random(11);
    auto steps = steps_by_chance(random, 70);
    MemoryDevice memory(made->image()), base(made->base());
    QFETCH(bool, punched);
    if (!punched) memory.refuse(ZeroMethod::punch);
    FaultyDevice file(memory);
    file.keep_changes();
    auto disk = EditedDisk::open({.image = &file, .base = &base});
    QVERIFY2(disk, disk ? "" : test::describe(disk.error()).c_str());
    for (Step& step : steps) {
      step.begun = file.changes().size();
      QVERIFY(carry_out(*disk, step));
      step.done = file.changes().size();
    }
    QVERIFY(disk->finish());
    const auto changes = file.changes();
    const auto before = made->image();
    QFETCH(int, filled);
    QCOMPARE(refcount_table_of(memory.content()) != refcount_table_of(before), filled > 0);
    for (size_t until = 1; until <= changes.size(); until += 1 + random() % 3) {
      const Expected expected(made->guest(), steps, until);
      for (int attempt = 0; attempt < 3; ++attempt) {
        // All of it lost, half, little.
        const unsigned survivors = std::array{0u, 50u, 90u}[static_cast<size_t>(attempt)];
        auto content =
            test::content_after_power_cut(before, changes, until, [&](size_t) { return random() % 100 < survivors; });
        const std::string wrong = judge(*made, std::move(content), expected);
        QVERIFY2(wrong.empty(), (wrong + " after change " + std::to_string(until)).c_str());
      }
    }
  }

  void aDeviceThatStopsLeavesASoundImage_data() { eachKind(); }
  void aDeviceThatStopsLeavesASoundImage() {
    const auto made = image();
    FINE(made->wrong());
    const auto before = made->image();
    std::mt19937 random(12);
    const auto plan = steps_by_chance(random, 40);
    for (size_t k = 1;; k += 1 + k / 20) {
      MemoryDevice memory(before), base(made->base());
      FaultyDevice file(memory);
      file.keep_changes();
      file.stop_after_writes(k);
      auto disk = EditedDisk::open({.image = &file, .base = &base});
      QVERIFY2(disk, disk ? "" : test::describe(disk.error()).c_str());
      auto steps = plan;
      bool stopped = false;
      for (Step& step : steps) {
        step.begun = file.changes().size();
        // Who is told that nothing works any more may still ask.
        stopped |= !carry_out(*disk, step).has_value();
        step.done = stopped ? SIZE_MAX : file.changes().size();
      }
      const std::string wrong = judge(*made, memory.content(), Expected(made->guest(), steps, k + 1));
      QVERIFY2(wrong.empty(), (wrong + " after write " + std::to_string(k)).c_str());
      if (!stopped) break;
    }
  }

  void qemuFindsLeaksAtMost() {
    const ImageToEdit made({.options = "cluster_size=4k", .backing = true, .snapshot = true});
    FINE(made.wrong());
    ImageToEdit left({.options = "cluster_size=4k"});
    std::mt19937 random(13);
    MemoryDevice memory(made.image()), base(made.base());
    FaultyDevice file(memory);
    file.keep_changes();
    auto disk = EditedDisk::open({.image = &file, .base = &base});
    QVERIFY2(disk, disk ? "" : test::describe(disk.error()).c_str());
    for (const Step& step : steps_by_chance(random, 60)) QVERIFY(carry_out(*disk, step));
    const auto changes = file.changes();
    for (int attempt = 0; attempt < 25; ++attempt) {
      const size_t until = random() % changes.size();
      left.replace(
          test::content_after_power_cut(made.image(), changes, until, [&](size_t) { return random() % 2 == 0; }), {});
      const auto checked = test::run_program({"qemu-img", "check", "-q", "-f", "qcow2", left.path()});
      QVERIFY2(checked.status == 0 || checked.status == 3, (checked.output + checked.errors).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(EditCrashTest)
#include "edit_crash_test.moc"
