// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "core/engine/copy.h"
#include "core/engine/piece_digests.h"
#include "core/engine/stream_pieces.h"
#include "core/engine/verify.h"
#include "core/format/registry.h"
#include "core/stream/source.h"
#include "tests/support/compressed.h"
#include "tests/support/faulty_device.h"
#include "tests/support/guest.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_image.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::FaultyDevice;
using test::MemoryDevice;

namespace {

using Data = std::vector<std::byte>;
constexpr size_t mebi = 1 << 20;

std::unique_ptr<stream::Source> open(std::unique_ptr<stream::Input> input) {
  auto source = stream::Source::open(std::move(input), {});
  if (!source) qFatal("the stream does not open");
  return std::move(*source);
}

// A stream over bytes in memory, as they are.
struct PlainStream {
  MemoryDevice file;
  std::unique_ptr<stream::Source> source;
  explicit PlainStream(const Data& content) : file(content), source(open(stream::make_file_input(file))) {}
};

// Bytes without a size, and after them nothing until the test says so: an end, or a failure.
class PausingInput final : public stream::Input {
 public:
  explicit PausingInput(Data content, std::optional<Error> then = std::nullopt)
      : content_(std::move(content)), then_(std::move(then)) {}
  std::string_view name() const override { return "pausing"; }
  Result<size_t> read(MutableBytes into) override {
    const Bytes part = Bytes(content_).subspan(at_).first(std::min(into.size(), content_.size() - at_));
    std::ranges::copy(part, into.begin());
    at_ += part.size();
    if (!part.empty()) return part.size();
    if (then_) return failure(*then_);
    while (waits && !halted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (waits) return failure(ErrorKind::stopped, "read", "halted");
    return size_t{0};
  }
  std::optional<uint64_t> size() const override { return std::nullopt; }
  Result<void> read_at(uint64_t, MutableBytes) override { return failure(ErrorKind::unsupported, "read", ""); }
  void rewind() override {}

  bool waits = false;

 private:
  Data content_;
  std::optional<Error> then_;
  size_t at_ = 0;
};

std::unique_ptr<ImageWriter> make_writer(BlockDevice& device, const char* format, uint64_t size, bool compress = false,
                                         bool is_zero = true) {
  auto made =
      find_format(format)->create({.file = &device, .size = size, .compress = compress, .target_is_zero = is_zero});
  if (!made) qFatal("no writer");
  return std::move(*made);
}

}  // namespace

class StreamCopyTest : public QObject {
  Q_OBJECT

  Progress progress_;
  Stop stop_;
  const Data guest_ = test::mixed_guest(20 * mebi + 4321, 9);

 private slots:
  void init() {
    std::destroy_at(&progress_);
    std::construct_at(&progress_);
    std::destroy_at(&stop_);
    std::construct_at(&stop_);
  }

  void aRawFileGrowsWithIt() {
    for (const IoMode mode : {IoMode::immediate, IoMode::queued}) {
      init();
      auto source = open(std::make_unique<PausingInput>(guest_));
      MemoryDevice target(0, mode);
      const auto writer = make_writer(target, "raw", 0);
      QVERIFY(copy({.stream = source.get(), .writer = writer.get(), .target = {&target}, .target_is_zero = true},
                   progress_, stop_));
      QVERIFY(target.content() == guest_);
      QVERIFY(progress_.total_known);
      QCOMPARE(progress_.total, guest_.size());
      QCOMPARE(progress_.completed + progress_.skipped, guest_.size());
    }
  }

  void anEmptyStreamIsAnEmptyDisk() {
    auto source = open(std::make_unique<PausingInput>(Data{}));
    MemoryDevice target;
    const auto writer = make_writer(target, "raw", 0);
    QVERIFY(copy({.stream = source.get(), .writer = writer.get(), .target = {&target}}, progress_, stop_));
    QCOMPARE(target.size(), uint64_t{0});
  }

  void qcow2GetsWhatTheStreamHolds_data() {
    QTest::addColumn<bool>("compress");
    QTest::addColumn<int>("more");
    QTest::newRow("as large") << false << 0;
    QTest::newRow("compressed") << true << 0;
    QTest::newRow("larger") << false << 3000000;
    QTest::newRow("larger, compressed") << true << 3000000;
    QTest::newRow("larger by less than a cluster") << false << 5;
  }
  void qcow2GetsWhatTheStreamHolds() {
    QFETCH(bool, compress);
    QFETCH(int, more);
    const uint64_t size = guest_.size() + static_cast<uint64_t>(more);
    auto source = open(std::make_unique<PausingInput>(guest_));
    MemoryDevice target;
    const auto writer = make_writer(target, "qcow2", size, compress);
    PieceDigests digests;
    QVERIFY(copy({.stream = source.get(),
                  .disk_size = size,
                  .digests = &digests,
                  .writer = writer.get(),
                  .target = {&target},
                  .target_is_zero = true},
                 progress_, stop_));
    auto image = test::open_image(target, "qcow2");
    QVERIFY(image);
    const auto read =
        test::read_guest(**image, {0, (*image)->size()}, [&](uint16_t) -> BlockDevice& { return target; });
    QVERIFY(read);
    Data expected = guest_;
    expected.resize((*image)->size());
    QVERIFY(*read == expected);
    QCOMPARE(*verify(**image, digests, progress_, stop_), std::nullopt);
    QCOMPARE(progress_.verified, guest_.size());
  }

  void aTargetThatIsTooSmallSaysHowFarItCame() {
    auto source = open(std::make_unique<PausingInput>(guest_));
    MemoryDevice target(8 * mebi);
    target.fix_size();
    const auto writer = make_writer(target, "raw", 8 * mebi, false, false);
    const auto copied = copy(
        {.stream = source.get(), .disk_size = 8 * mebi, .writer = writer.get(), .target = {&target}}, progress_, stop_);
    QVERIFY(!copied);
    QCOMPARE(copied.error().kind, ErrorKind::no_space);
    QCOMPARE(copied.error().offset, std::optional<uint64_t>(8 * mebi));
  }

  void whatLiesBehindItOnALargerTargetStays() {
    PlainStream stream(guest_);
    MemoryDevice target(Data(32 * mebi, std::byte{0xaa}));
    target.fix_size();
    const auto writer = make_writer(target, "raw", 32 * mebi, false, false);
    QVERIFY(copy({.stream = stream.source.get(), .disk_size = 32 * mebi, .writer = writer.get(), .target = {&target}},
                 progress_, stop_));
    Data expected = guest_;
    expected.resize(32 * mebi, std::byte{0xaa});
    QVERIFY(target.content() == expected);
  }

  void aDamagedStreamFailsTheJobAndEndsIt() {
    Error damage{.kind = ErrorKind::corrupt, .operation = "decode", .offset = 77};
    auto source = open(std::make_unique<PausingInput>(guest_, damage));
    MemoryDevice target;
    const auto writer = make_writer(target, "raw", 0);
    const auto copied = copy({.stream = source.get(), .writer = writer.get(), .target = {&target}}, progress_, stop_);
    QVERIFY(!copied);
    QCOMPARE(copied.error().kind, ErrorKind::corrupt);
    QCOMPARE(copied.error().offset, std::optional<uint64_t>(77));
  }

  // With the reader waiting for a pipe, and with it waiting for buffers.
  void aFailingTargetEndsTheReaderToo() {
    for (const char* format : {"raw", "qcow2"}) {
      for (const bool long_stream : {false, true}) {
        Data content = guest_;
        if (long_stream) content.resize(60 * mebi, std::byte{1});
        auto input = std::make_unique<PausingInput>(content);
        input->waits = true;
        auto source = open(std::move(input));
        MemoryDevice memory;
        FaultyDevice target(memory);
        const auto writer = make_writer(target, format, 1 << 30);
        // For good: a single failure may meet the growing of the file, which is tried once more and then succeeds.
        target.stop_after_writes(target.writes() + 3);
        const auto copied =
            copy({.stream = source.get(), .disk_size = 1 << 30, .writer = writer.get(), .target = {&target}}, progress_,
                 stop_);
        QVERIFY(!copied);
        QCOMPARE(copied.error().kind, ErrorKind::vanished);
      }
    }
  }

  void aStopIsHeardWhileAPipeIsSilent() {
    for (const char* format : {"raw", "qcow2"}) {
      init();
      auto input = std::make_unique<PausingInput>(guest_);
      input->waits = true;
      auto source = open(std::move(input));
      MemoryDevice target;
      const auto writer = make_writer(target, format, 1 << 30);
      std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop_.request();
      });
      const auto copied =
          copy({.stream = source.get(), .disk_size = 1 << 30, .writer = writer.get(), .target = {&target}}, progress_,
               stop_);
      QVERIFY(!copied);
      QCOMPARE(copied.error().kind, ErrorKind::stopped);
    }
  }

  // The file becomes another one behind the stream's back, which is a whole one of its kind.
  void aSizeThatIsNotKeptIsDamage() {
    const Data small(guest_.begin(), guest_.begin() + mebi);
    for (const size_t length : {small.size() - 4096, small.size() + 4096}) {
      init();
      Data other = small;
      other.resize(length, std::byte{1});
      MemoryDevice file(test::compressed("xz -0", small));
      auto source = open(stream::make_file_input(file));
      QCOMPARE(source->size(), std::optional<uint64_t>(small.size()));
      const Data stored = test::compressed("xz -0", other);
      QVERIFY(stored.size() % 4 == 0);
      // Padding, which is a part of it, makes up for the difference.
      if (stored.size() > file.content().size()) file.content().resize(stored.size());
      file.content().assign(file.content().size(), std::byte{0});
      std::ranges::copy(stored, file.content().begin());
      QVERIFY(source->rewind());
      MemoryDevice target;
      const auto writer = make_writer(target, "raw", small.size());
      const auto copied =
          copy({.stream = source.get(), .disk_size = small.size(), .writer = writer.get(), .target = {&target}},
               progress_, stop_);
      QVERIFY(!copied);
      QCOMPARE(copied.error().kind, ErrorKind::corrupt);
    }
  }

  void theSizeCanBeMeasuredBeforehand() {
    MemoryDevice file(test::compressed("gzip -1", guest_));
    auto source = open(stream::make_file_input(file));
    QCOMPARE(source->size(), std::nullopt);
    const auto size = measure(*source, progress_, stop_);
    QVERIFY(size);
    QCOMPARE(*size, guest_.size());
    QCOMPARE(progress_.input_total, file.content().size());
    MemoryDevice target;
    const auto writer = make_writer(target, "raw", *size);
    QVERIFY(copy({.stream = source.get(), .disk_size = *size, .writer = writer.get(), .target = {&target}}, progress_,
                 stop_));
    QVERIFY(target.content() == guest_);
  }

  void whatIsReadBackIsHeldAgainstTheDigests_data() {
    QTest::addColumn<uint64_t>("at");
    for (const uint64_t at : {uint64_t{0}, 5 * mebi + 17, 20 * mebi + 4320}) QTest::addRow("%d", int(at)) << at;
  }
  void whatIsReadBackIsHeldAgainstTheDigests() {
    QFETCH(uint64_t, at);
    PlainStream stream(guest_);
    MemoryDevice target;
    const auto writer = make_writer(target, "raw", 0);
    PieceDigests digests;
    QVERIFY(copy({.stream = stream.source.get(), .digests = &digests, .writer = writer.get(), .target = {&target}},
                 progress_, stop_));
    auto image = test::open_image(target, "raw");
    QVERIFY(image);
    QCOMPARE(*verify(**image, digests, progress_, stop_), std::nullopt);
    const std::array<std::byte, 1> other{target.content()[at] ^ std::byte{1}};
    QVERIFY(target.write_now(at, other));
    const auto differs = verify(**image, digests, progress_, stop_);
    QVERIFY(differs);
    QVERIFY(*differs && (*differs)->contains(at));
    QVERIFY((*differs)->length <= mebi);
  }

  void zeroesOfTheTargetAreHeldAgainstTheDigestsToo() {
    Data content(8 * mebi);
    content[3 * mebi] = std::byte{7};
    PlainStream stream(content);
    MemoryDevice target;
    const auto writer = make_writer(target, "raw", 0);
    PieceDigests digests;
    QVERIFY(copy({.stream = stream.source.get(),
                  .digests = &digests,
                  .writer = writer.get(),
                  .target = {&target},
                  .target_is_zero = true},
                 progress_, stop_));
    MemoryDevice empty(8 * mebi);
    auto image = test::open_image(empty, "raw");
    QVERIFY(image);
    QCOMPARE(*verify(**image, digests, progress_, stop_), (std::optional<Range>{{3 * mebi, mebi}}));
    auto right = test::open_image(target, "raw");
    QVERIFY(right);
    QCOMPARE(*verify(**right, digests, progress_, stop_), std::nullopt);
    MemoryDevice shorter(7 * mebi + 5);
    auto cut = test::open_image(shorter, "raw");
    QVERIFY(cut);
    QVERIFY(*verify(**cut, digests, progress_, stop_));
  }
};

QTEST_GUILESS_MAIN(StreamCopyTest)
#include "stream_copy_test.moc"
