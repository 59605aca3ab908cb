// SPDX-License-Identifier: GPL-3.0-or-later
// TIMEOUT: 120
#include "core/engine/edit_in_place.h"

#include <QRegularExpression>
#include <QtTest>
#include <atomic>
#include <random>
#include <thread>

#include "core/base/endian.h"
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/header_fields.h"
#include "tests/support/edited_disk.h"
#include "tests/support/faulty_device.h"
#include "tests/support/made_image.h"
#include "tests/support/qemu_img.h"
#include "tests/support/run_task.h"

using namespace disklathe;
using test::EditedDisk;
using test::ImageToEdit;
using test::MemoryDevice;

namespace {

constexpr uint64_t kibi = 1 << 10, mebi = 1 << 20;

// The files of an image in memory.
struct Files {
  MemoryDevice image, data_file, base;
  explicit Files(const ImageToEdit& made) : image(made.image()), data_file(made.data_file()), base(made.base()) {}
  Result<EditedDisk> open() { return EditedDisk::open({.image = &image, .data_file = &data_file, .base = &base}); }
};

std::vector<std::byte> noise(std::mt19937& random, size_t size) {
  std::vector<std::byte> bytes(size);
  std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

void put(std::vector<std::byte>& model, uint64_t at, Bytes bytes) {
  std::ranges::copy(bytes, model.begin() + static_cast<std::ptrdiff_t>(at));
}

Task<void> scribble(Ring& ring, EditInPlace& disk, Image& image, std::vector<std::byte>& model, Range part,
                    uint32_t seed, std::atomic<unsigned>& wrong) {
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const uint64_t at = part.at + random() % part.length;
    const uint64_t length = std::min<uint64_t>(1 + random() % (20 << 10), part.end() - at);
    const uint64_t kind = random() % 10;
    const auto bytes = kind < 7 ? noise(random, length) : std::vector<std::byte>(length);
    Result<void> done;
    if (kind < 7)
      done = co_await disk.write(ring, at, bytes);
    else if (kind < 9)
      done = co_await disk.zero(ring, {at, length}, kind == 8, false);
    else
      done = co_await disk.flush(ring);
    if (kind < 9) put(model, at, bytes);
    if (!done) ++wrong;
    const auto hold = co_await disk.reading(ring, {at, length});
    std::vector<Extent> extents;
    if (!image.map({at, length}, extents)) ++wrong;
  }
}

}  // namespace

class EditInPlaceTest : public QObject {
  Q_OBJECT

  std::mt19937 random_{3};

 private slots:
  void everyKindOfImageHoldsWhatWasWritten_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("backing");
    QTest::addColumn<bool>("snapshot");
    const auto row = [](const char* options, bool backing, bool snapshot) {
      QTest::addRow("%s%s%s", options, backing ? " backing" : "", snapshot ? " snapshot" : "")
          << QString(options) << backing << snapshot;
    };
    row("cluster_size=64k", false, false);
    row("cluster_size=64k", true, true);
    row("cluster_size=4k", false, true);
    row("cluster_size=512,refcount_bits=64", true, true);
    row("cluster_size=512,refcount_bits=1", false, false);
    row("cluster_size=2M", true, false);
    row("compat=0.10", false, true);
    row("compat=0.10", true, true);
    row("refcount_bits=8,lazy_refcounts=on", true, true);
    row("compression_type=zstd,cluster_size=8k", true, true);
    row("extended_l2=on,cluster_size=64k", true, true);
    row("extended_l2=on,cluster_size=16k", false, true);
    row("extended_l2=on,cluster_size=2M", true, false);
    row("preallocation=metadata", false, false);
    row("preallocation=full", false, true);
    row("data_file=data", true, false);
    row("data_file=data", false, false);
    row("data_file=data,extended_l2=on", true, false);
    row("data_file=data,data_file_raw=on", false, false);
  }
  void everyKindOfImageHoldsWhatWasWritten() {
    QFETCH(QString, options);
    QFETCH(bool, backing);
    QFETCH(bool, snapshot);
    ImageToEdit made({.options = options.toStdString(),
                      .backing = backing,
                      .snapshot = snapshot,
                      .compressed = !options.contains(QRegularExpression("data_file|preallocation|2M"))});
    FINE(made.wrong());
    auto model = made.guest();
    for (int session = 0; session < 2; ++session) {
      Files files(made);
      auto disk = files.open();
      QVERIFY2(disk, disk ? "" : test::describe(disk.error()).c_str());
      for (int i = 0; i < 150; ++i) {
        const uint64_t unit = std::array<uint64_t, 4>{1, 512, 4096, 65536}[random_() % 4];
        const uint64_t at = random_() % model.size() / unit * unit;
        const uint64_t length = std::min<uint64_t>(
            (1 + random_() % (random_() % 4 ? 8 : 300)) * unit / (unit / 512 + 1) + 1, model.size() - at);
        const uint64_t kind = random_() % 20;
        Result<void> done;
        if (kind < 11) {
          const auto bytes = noise(random_, length);
          done = disk->write(at, bytes);
          put(model, at, bytes);
        } else if (kind < 17) {
          done = disk->zero({at, length}, kind == 11);
          put(model, at, std::vector<std::byte>(length));
        } else if (kind < 19) {
          done = disk->trim({at, length});
          const auto now = disk->read({at, length});
          QVERIFY(now);
          for (uint64_t k = 0; k < length; ++k) QVERIFY((*now)[k] == model[at + k] || (*now)[k] == std::byte{0});
          put(model, at, *now);
        } else {
          done = disk->flush();
        }
        QVERIFY2(done, done ? "" : test::describe(done.error()).c_str());
        if (i % 30) continue;
        const auto now = disk->read({0, model.size()});
        QVERIFY2(now, now ? "" : test::describe(now.error()).c_str());
        QVERIFY(*now == model);
      }
      QVERIFY(disk->finish());
      made.replace(files.image.content(), files.data_file.content());
      FINE(made.check());
      FINE(made.compare(model));
    }
  }

  void aLongTrimAndNewDataDoNotMakeTheFileGrow() {
    ImageToEdit made({.options = "cluster_size=4k", .compressed = false});
    FINE(made.wrong());
    Files files(made);
    auto disk = files.open();
    const auto bytes = noise(random_, 2 * mebi);
    QVERIFY(disk->write(0, bytes) && disk->flush());
    const uint64_t size = files.image.size();
    for (int i = 0; i < 10; ++i) {
      QVERIFY(disk->trim({0, 2 * mebi}) && disk->flush() && disk->flush());
      QVERIFY(disk->write(0, bytes) && disk->flush());
    }
    QVERIFY(disk->finish());
    QVERIFY2(files.image.size() <= size, qPrintable(QString::number(files.image.size())));
  }

  void whatIsFreedIsPunched() {
    ImageToEdit made({.options = "cluster_size=64k", .compressed = false});
    FINE(made.wrong());
    Files files(made);
    auto disk = files.open();
    QVERIFY(disk->write(0, noise(random_, 2 * mebi)) && disk->flush());
    const auto data = [&] {
      uint64_t bytes = 0;
      for (uint64_t at = 0; at < files.image.size();) {
        const auto run = files.image.allocation(at);
        if (run->data) bytes += run->range.length;
        at = run->range.end();
      }
      return bytes;
    };
    const uint64_t before = data();
    QVERIFY(disk->trim({0, 2 * mebi}) && disk->flush());
    QVERIFY2(data() + mebi < before, qPrintable(QString::number(data())));
  }

  void whatIsFreedIsNotUsedBeforeThatIsDurable() {
    ImageToEdit made({.options = "cluster_size=64k", .compressed = false});
    FINE(made.wrong());
    Files files(made);
    auto disk = files.open();
    QVERIFY(disk->write(0, noise(random_, 64 * kibi)) && disk->flush());
    const auto place = [&] { return (*disk->editor().in_place({0, 1}))->host; };
    const uint64_t first = place();
    QVERIFY(disk->trim({0, 64 * kibi}));
    QVERIFY(disk->write(0, noise(random_, 64 * kibi)));
    QVERIFY(place() != first);
  }

  void changesInMemoryAreBounded() {
    // A table of 4 KiB for each 2 MiB.
    constexpr uint64_t size = 5ULL << 30;
    test::MadeImage made("qcow2");
    FINE(made.make_empty(size, {.options = {{"cluster_size", "4k"}}}));
    MemoryDevice image(test::as_bytes(test::read_file(made.path())));
    auto disk = EditedDisk::open({.image = &image});
    QVERIFY(disk);
    uint64_t most = 0;
    for (uint64_t at = 0; at < size; at += 2 * mebi) {
      QVERIFY(disk->write(at, noise(random_, 600)));
      most = std::max(most, disk->editor().changed_bytes());
    }
    QVERIFY(most > ImageEditor::most_changed / 2 && most <= ImageEditor::most_changed + 64 * kibi);
    QVERIFY(disk->finish());
    test::write_file(made.path(), test::as_text(image.content()));
    FINE(made.check());
  }

  void manyThreadsAndCoroutinesAtOnce() {
    ImageToEdit made({.options = "cluster_size=16k", .backing = true, .snapshot = true});
    FINE(made.wrong());
    Files files(made);
    auto disk = files.open();
    auto model = made.guest();
    std::atomic<unsigned> wrong{0};
    std::vector<std::thread> threads;
    // Neighbours share clusters.
    constexpr uint64_t workers = 3, each = 4;
    const uint64_t part = model.size() / (workers * each);
    for (uint64_t t = 0; t < workers; ++t) {
      threads.emplace_back([&, t] {
        auto ring = Ring::create(RingKind::immediate);
        for (uint64_t k = 0; k < each; ++k) {
          const uint64_t number = k * workers + t;
          (*ring)->spawn(scribble(**ring, disk->in_place(), disk->image(), model, {number * part, part},
                                  static_cast<uint32_t>(number), wrong));
        }
        (*ring)->run();
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0u);
    QVERIFY(*disk->read({0, model.size()}) == model);
    QVERIFY(disk->finish());
    made.replace(files.image.content(), {});
    FINE(made.check());
    FINE(made.compare(model));
  }

  void aWriteThatFailsChangesNothingAndLosesNoSpace() {
    ImageToEdit made({.options = "cluster_size=64k", .backing = true});
    FINE(made.wrong());
    const auto before = made.image();
    for (size_t k = 1; k < 12; ++k) {
      Files files(made);
      test::FaultyDevice faulty(files.image);
      auto disk = EditedDisk::open({.image = &faulty, .base = &files.base});
      faulty.fail_write(faulty.writes() + k, ENOSPC);
      const auto bytes = noise(random_, 300 * kibi);
      const auto written = disk->write(700 * kibi, bytes);
      if (!written) QCOMPARE(written.error().kind, ErrorKind::no_space);
      if (!written) QVERIFY(disk->write(700 * kibi, bytes));
      QVERIFY(disk->finish() || (written && disk->finish()));
      auto model = made.guest();
      put(model, 700 * kibi, bytes);
      QVERIFY(*disk->read({0, model.size()}) == model);
      made.replace(files.image.content(), {});
      FINE(made.check());
      FINE(made.compare(model));
      made.replace(before, {});
    }
  }

  void aFlushThatFailsIsToldAndCanBeAskedForAgain() {
    ImageToEdit made({.options = "cluster_size=64k", .backing = true});
    FINE(made.wrong());
    const auto before = made.image();
    for (size_t k = 1; k < 4; ++k) {
      made.replace(before, {});
      Files files(made);
      test::FaultyDevice faulty(files.image);
      auto disk = EditedDisk::open({.image = &faulty, .base = &files.base});
      const auto bytes = noise(random_, 300 * kibi);
      QVERIFY(disk->write(700 * kibi, bytes));
      faulty.fail_flush(faulty.flushes() + k, EIO);
      const bool first = disk->flush().has_value();
      QCOMPARE(first, k > 2);
      QVERIFY(disk->finish() || k > 2);
      made.replace(files.image.content(), {});
      auto model = made.guest();
      put(model, 700 * kibi, bytes);
      FINE(made.compare(model));
    }
  }

  void autoclearBitsAreClearedByTheFirstWriteOnly() {
    ImageToEdit made({.options = "cluster_size=64k"});
    FINE(made.wrong());
    QCOMPARE(test::run_program({"qemu-img", "bitmap", "--add", made.path(), "b0"}).status, 0);
    Files files(made);
    store_be<uint64_t>(files.image.content(), qcow2::Field::autoclear_features, 1 | 1ULL << 40);
    auto disk = files.open();
    QVERIFY(disk);
    const auto& warnings = disk->image().facts().warnings;
    QVERIFY(std::ranges::any_of(warnings, [](const auto& warning) { return warning.contains("'b0'"); }));
    QVERIFY(disk->flush());
    const auto bits = [&] { return load_be<uint64_t>(files.image.content(), qcow2::Field::autoclear_features); };
    QCOMPARE(bits(), 1 | 1ULL << 40);
    QVERIFY(disk->write(0, noise(random_, 1)));
    QCOMPARE(bits(), uint64_t{0});
  }

  void whatIsMarkedAsBrokenIsRefused() {
    ImageToEdit made({.options = "cluster_size=64k,lazy_refcounts=on"});
    FINE(made.wrong());
    const auto opened = [&](uint64_t features, bool damaged) {
      Files files(made);
      store_be<uint64_t>(files.image.content(), qcow2::Field::incompatible_features, features);
      if (damaged) {  // a refcount of 0 for the L1 table
        const auto header = *qcow2::read_header(files.image);
        const auto block = load_be<uint64_t>(files.image.content(), header.refcount_table_offset);
        store_be<uint16_t>(files.image.content(), block + header.l1_table_offset / header.cluster_size() * 2, 0);
      }
      auto disk = files.open();
      if (disk && disk->write(0, noise(random_, 5)) &&
          load_be<uint64_t>(files.image.content(), qcow2::Field::incompatible_features) != 0)
        return std::string("the bit is still set");
      return disk ? std::string() : disk.error().cause;
    };
    QVERIFY(opened(qcow2::incompatible_corrupt, false).contains("marked as corrupt"));
    QVERIFY(opened(qcow2::incompatible_dirty, true).contains("marked as dirty"));
    FINE(opened(qcow2::incompatible_dirty, false));
  }

  void tablesAreNotOverwrittenWhateverTheImageSays() {
    ImageToEdit made({.options = "cluster_size=64k", .compressed = false});
    FINE(made.wrong());
    Files files(made);
    auto& bytes = files.image.content();
    const auto header = *qcow2::read_header(files.image);
    const uint64_t l2 = load_be<uint64_t>(bytes, header.l1_table_offset) & qcow2::entry_offset;
    // The first cluster is said to lie where the L1 table is; and the refcount table to be free.
    store_be<uint64_t>(bytes, l2, header.l1_table_offset | qcow2::entry_copied);
    const auto block = load_be<uint64_t>(bytes, header.refcount_table_offset);
    store_be<uint16_t>(bytes, block + header.refcount_table_offset / header.cluster_size() * 2, 0);
    const auto before = bytes;
    auto disk = files.open();
    QVERIFY(disk);
    const auto in_place = disk->write(0, noise(random_, 5));
    QVERIFY(!in_place && in_place.error().kind == ErrorKind::corrupt);
    const auto anew = disk->write(made.kind().size - 9, noise(random_, 5));
    QVERIFY(!anew && anew.error().kind == ErrorKind::corrupt);
    bytes.resize(before.size());
    QVERIFY(bytes == before);
  }

  void zeroingIsFastWhereItIsMetadata() {
    ImageToEdit v3({.options = "cluster_size=64k", .backing = true}), v2({.options = "compat=0.10", .backing = true});
    FINE(v3.wrong() + v2.wrong());
    Files new_files(v3), old_files(v2);
    auto new_disk = new_files.open(), old_disk = old_files.open();
    QVERIFY(new_disk->zero({0, mebi}, false, true));
    QCOMPARE(new_disk->zero({0, mebi}, true, true).error().kind, ErrorKind::unsupported);
    QCOMPARE(old_disk->zero({0, mebi}, false, true).error().kind, ErrorKind::unsupported);
  }

  void zeroesOverNothingTakeNoTable() {
    ImageToEdit made({.options = "cluster_size=4k", .compressed = false, .size = 64 * mebi});
    FINE(made.wrong());
    Files files(made);
    auto disk = files.open();
    const uint64_t size = files.image.size();
    QVERIFY(disk->zero({8 * mebi, 50 * mebi + 7}) && disk->finish());
    QVERIFY(files.image.size() <= size + 4096);
  }
};

QTEST_GUILESS_MAIN(EditInPlaceTest)
#include "edit_in_place_test.moc"
