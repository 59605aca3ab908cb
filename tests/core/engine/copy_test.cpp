// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/copy.h"

#include <QTest>
#include <algorithm>
#include <random>
#include <thread>

#include "core/engine/compare.h"
#include "core/format/registry.h"
#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_image.h"

using namespace disklathe;
using test::CountingDevice;
using test::FaultyDevice;
using test::MemoryDevice;

namespace {

constexpr size_t mebi = 1 << 20;

// Runs of random bytes, of text that compresses, and of zeroes, on odd boundaries.
std::vector<std::byte> mixed_bytes(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (size_t at = 0; at < size;) {
    const size_t length = std::min<size_t>(size - at, 1 + random() % 200000);
    const auto sort = random() % 3;
    for (size_t i = at; i < at + length && sort != 0; ++i) {
      bytes[i] = static_cast<std::byte>(sort == 1 ? random() : (i / 9) % 7 + 60);
    }
    at += length;
  }
  return bytes;
}

struct Target {
  MemoryDevice device;
  std::unique_ptr<ImageWriter> writer;
};

Result<void> make_writer(std::unique_ptr<ImageWriter>& writer, BlockDevice& device, const char* format, uint64_t size,
                         bool compress = false) {
  auto made = find_format(format)->create(
      {.file = &device, .size = size, .compress = compress, .target_is_zero = device.size() == 0});
  if (!made) return failure(made);
  writer = std::move(*made);
  return {};
}

}  // namespace

class CopyTest : public QObject {
  Q_OBJECT

  Progress progress_;
  Stop stop_;

  Result<void> run(BlockDevice& from, const char* from_format, BlockDevice& to, const char* to_format,
                   CopyJob options = {}, bool compress = false) {
    progress_.~Progress();
    new (&progress_) Progress;
    auto source = test::open_image(from, from_format);
    if (!source) return failure(source);
    const bool fresh = to.size() == 0;
    std::unique_ptr<ImageWriter> writer;
    auto made = make_writer(writer, to, to_format, (*source)->size(), compress);
    if (!made) return failure(made);
    options.source = source->get();
    options.writer = writer.get();
    options.target[0] = &to;
    options.target_is_zero = fresh;
    return copy(options, progress_, stop_);
  }

  static bool equal(BlockDevice& a, const char* a_format, BlockDevice& b, const char* b_format) {
    auto left = test::open_image(a, a_format);
    auto right = test::open_image(b, b_format);
    Progress progress;
    const Stop stop;
    auto difference = compare(**left, **right, {.strict = true}, progress, stop);
    return difference && !*difference;
  }

 private slots:
  void everyWayRoundGivesTheSameBytes_data() {
    QTest::addColumn<bool>("queued");
    QTest::addColumn<bool>("compress");
    QTest::addColumn<int>("workers");
    QTest::newRow("immediate") << false << false << 2;
    QTest::newRow("queued") << true << false << 1;
    QTest::newRow("compressed") << false << true << 3;
    QTest::newRow("queued and compressed") << true << true << 2;
  }
  void everyWayRoundGivesTheSameBytes() {
    QFETCH(bool, queued);
    QFETCH(bool, compress);
    QFETCH(int, workers);
    const IoMode mode = queued ? IoMode::queued : IoMode::immediate;
    const auto bytes = mixed_bytes(9 * mebi + 512 * 7, 1);
    MemoryDevice source(bytes, mode), image(0, mode), back(0, mode);
    const CopyJob options{.workers = static_cast<unsigned>(workers), .slots_per_worker = 3};
    QVERIFY(run(source, "raw", image, "qcow2", options, compress));
    QVERIFY(equal(source, "raw", image, "qcow2"));
    QVERIFY(run(image, "qcow2", back, "raw", options));
    QVERIFY(back.content() == bytes);
  }

  void anOddSizeIsKeptToTheByte() {
    const auto bytes = mixed_bytes(3 * mebi + 333, 2);
    MemoryDevice source(bytes), target;
    QVERIFY(run(source, "raw", target, "raw"));
    QVERIFY(target.content() == bytes);
  }

  void zeroesAreNeverWrittenToAFreshFile() {
    std::vector<std::byte> bytes(4 * mebi);
    std::fill_n(bytes.begin() + mebi, 4096, std::byte{7});
    MemoryDevice source(bytes), target;
    CountingDevice counted(target);
    QVERIFY(run(source, "raw", counted, "raw"));
    QCOMPARE(counted.bytes_written(), 4096u);
    QVERIFY(counted.zeroes().empty());
    QVERIFY(target.content() == bytes);
  }

  void holesAreNeverRead() {
    MemoryDevice source(64 * mebi), target;
    const std::vector<std::byte> some(4096, std::byte{1});
    QVERIFY(source.write_now(32 * mebi, some));
    CountingDevice counted(source);
    QVERIFY(run(counted, "raw", target, "raw"));
    QVERIFY(counted.bytes_read() < 2 * mebi);
    QVERIFY(target.content() == source.content());
  }

  void anExistingTargetLosesWhatWasInItsHoles_data() {
    QTest::addColumn<bool>("queued");
    QTest::addColumn<bool>("file");
    QTest::addColumn<int>("piece");
    QTest::newRow("immediate") << false << false << 0;
    QTest::newRow("queued") << true << false << 0;
    QTest::newRow("immediate, small pieces") << false << false << 65536;
    QTest::newRow("queued, small pieces") << true << false << 65536;
    QTest::newRow("a file") << false << true << 0;
    QTest::newRow("a queued file, small pieces") << true << true << 65536;
  }
  void anExistingTargetLosesWhatWasInItsHoles() {
    QFETCH(bool, queued);
    QFETCH(bool, file);
    QFETCH(int, piece);
    const IoMode mode = queued ? IoMode::queued : IoMode::immediate;
    for (const unsigned seed : {3, 4}) {
      auto bytes = mixed_bytes(16 * mebi, seed);
      std::fill_n(bytes.begin() + 5 * mebi + 12345, 6 * mebi, std::byte{0});
      std::fill_n(bytes.end() - 2 * mebi - 777, 2 * mebi + 777, std::byte{0});
      MemoryDevice source(bytes), target(std::vector<std::byte>(16 * mebi, std::byte{0xaa}), mode);
      if (!file) target.fix_size();
      QVERIFY(run(source, "raw", target, "raw",
                  {.workers = 3, .slots_per_worker = 4, .piece_size = static_cast<uint64_t>(piece)}));
      QVERIFY(target.content() == bytes);
      QCOMPARE(progress_.position(), bytes.size());
    }
  }

  void whatIsAHoleOfTheTargetStaysOne() {
    MemoryDevice source(64 * mebi), target(64 * mebi);
    const std::vector<std::byte> some(mebi, std::byte{1}), old(8 * mebi, std::byte{0xaa});
    QVERIFY(source.write_now(32 * mebi, some) && target.write_now(40 * mebi, old));
    CountingDevice counted(target);
    QVERIFY(run(source, "raw", counted, "raw"));
    QVERIFY(target.content() == source.content());
    uint64_t zeroed = 0;
    for (const auto& request : counted.zeroes()) zeroed += request.range.length;
    QCOMPARE(zeroed, 8 * mebi);
    QCOMPARE(counted.bytes_written(), mebi);
  }

  void aTargetThatRefusesEveryZeroCommandIsWrittenWithZeroes() {
    const auto bytes = mixed_bytes(5 * mebi, 3);
    MemoryDevice source(bytes), target(std::vector<std::byte>(5 * mebi, std::byte{0xaa}));
    target.fix_size();
    target.refuse(ZeroMethod::punch);
    target.refuse(ZeroMethod::write_zeroes);
    QVERIFY(run(source, "raw", target, "raw"));
    QVERIFY(target.content() == bytes);
  }

  void withoutASparseSizeEverythingIsWritten() {
    MemoryDevice source(2 * mebi), target;
    CountingDevice counted(target);
    QVERIFY(run(source, "raw", counted, "raw", {.sparse_size = 0}));
    QCOMPARE(counted.bytes_written(), 2 * mebi);
  }

  void guestSequentialDataIsHostSequential() {
    std::vector<std::byte> bytes(32 * mebi, std::byte{5});
    MemoryDevice source(bytes), image;
    QVERIFY(run(source, "raw", image, "qcow2", {.workers = 4, .slots_per_worker = 4}));
    auto opened = test::open_image(image, "qcow2");
    std::vector<Extent> extents;
    for (uint64_t at = 0; at < bytes.size(); at = extents.back().guest.end()) {
      QVERIFY((*opened)->map(Range::between(at, bytes.size()), extents));
    }
    QVERIFY(std::ranges::is_sorted(extents, {}, [](const Extent& extent) { return extent.host.at; }));
  }

  void progressEndsAtTheTotalAndNeverPassesIt() {
    const auto bytes = mixed_bytes(8 * mebi, 4);
    MemoryDevice source(bytes), target;
    QVERIFY(run(source, "raw", target, "raw"));
    QCOMPARE(progress_.position(), bytes.size());
    QCOMPARE(progress_.flushed.load(), bytes.size());
  }

  void whatIsWrittenStartsOnItsWayToTheMediumAtOnce() {
    MemoryDevice source(mixed_bytes(8 * mebi, 4)), target;
    CountingDevice counting(target);
    QVERIFY(run(source, "raw", counting, "raw"));
    QVERIFY(!counting.writes().empty());
    auto begun = counting.begun_flushes(), written = counting.writes();
    std::ranges::sort(begun, {}, &Range::at);
    std::ranges::sort(written, {}, &Range::at);
    QVERIFY(std::ranges::equal(begun, written));
  }

  void nothingIsHurriedToTheMediumThatIsNotFlushed() {
    MemoryDevice source(mixed_bytes(8 * mebi, 4)), target;
    CountingDevice counting(target);
    QVERIFY(run(source, "raw", counting, "raw", {.durable = false}));
    QVERIFY(!counting.writes().empty());
    QVERIFY(counting.begun_flushes().empty());
  }

  // A file system walks all pieces that follow to say where a run ends: asked for each hole, it would take their
  // square.
  void theTargetIsAskedOnceForEachRunOfIt() {
    std::vector<std::byte> bytes(8 * mebi);
    for (size_t at = 0; at < bytes.size(); at += 128 << 10) std::fill_n(bytes.begin() + at, 64 << 10, std::byte{7});
    MemoryDevice source(bytes), old(mixed_bytes(8 * mebi, 9));
    CountingDevice counting(old);
    QVERIFY(run(source, "raw", counting, "raw", {.workers = 2, .slots_per_worker = 2}));
    QVERIFY(counting.zeroes().size() > 60);
    QCOMPARE(counting.looks(), 1);
    QVERIFY(equal(source, "raw", old, "raw"));
  }

  void theFirstReadErrorEndsTheJobAndSaysWhere() {
    MemoryDevice source(std::vector<std::byte>(16 * mebi, std::byte{1})), target;
    FaultyDevice faulty(source);
    faulty.fail_at(5 * mebi + 100, EIO);
    auto done = run(faulty, "raw", target, "raw", {.workers = 2, .slots_per_worker = 2});
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::io);
    QCOMPARE(done.error().operation, "read");
    QVERIFY(done.error().offset.has_value());
  }

  void everyWriteMayBeTheOneThatFails() {
    const auto bytes = mixed_bytes(2 * mebi, 5);
    MemoryDevice source(bytes);
    size_t failed = 0;
    for (size_t k = 1;; ++k) {
      MemoryDevice target;
      FaultyDevice faulty(target);
      faulty.fail_write(k, ENOSPC);
      auto done = run(source, "raw", faulty, "qcow2", {.workers = 2, .slots_per_worker = 3});
      if (done) {  // past the last write, or growing the file ahead failed and was done in a smaller step
        QVERIFY(equal(source, "raw", target, "qcow2"));
        if (faulty.writes() < k) break;
      } else {
        QCOMPARE(done.error().kind, ErrorKind::no_space);
        ++failed;
      }
    }
    QVERIFY(failed > 10);
  }

  void aFlushThatFailsIsAFailure() {
    MemoryDevice source(mixed_bytes(mebi, 6)), target;
    FaultyDevice faulty(target);
    faulty.fail_flush(1, EIO);
    auto done = run(source, "raw", faulty, "raw");
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::io);
  }

  void aStopIsHeardBetweenPieces() {
    MemoryDevice source(std::vector<std::byte>(64 * mebi, std::byte{1})), target;
    stop_.request();
    auto done = run(source, "raw", target, "qcow2");
    new (&stop_) Stop;
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::stopped);
    QCOMPARE(progress_.completed.load(), 0u);
  }
};

QTEST_GUILESS_MAIN(CopyTest)
#include "copy_test.moc"
