// SPDX-License-Identifier: GPL-3.0-or-later
// TIMEOUT: 120
#include "core/stream/source.h"

#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "tests/support/compressed.h"
#include "tests/support/memory_device.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::compressed;
using test::MemoryDevice;

namespace {

using Data = std::vector<std::byte>;

constexpr size_t kibi = 1 << 10;

Data operator+(Data a, const Data& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Data bytes_of(std::initializer_list<int> values) {
  Data data;
  for (const int value : values) data.push_back(static_cast<std::byte>(value));
  return data;
}

// An input that gives a few bytes at a time and has no size, as a pipe may.
class DripInput final : public stream::Input {
 public:
  DripInput(Bytes content, size_t drop) : content_(content), drop_(drop) {}
  std::string_view name() const override { return "drip"; }
  Result<size_t> read(MutableBytes into) override {
    const Bytes part = content_.first(std::min({drop_, into.size(), content_.size()}));
    std::ranges::copy(part, into.begin());
    content_ = content_.subspan(part.size());
    return part.size();
  }
  std::optional<uint64_t> size() const override { return std::nullopt; }
  Result<void> read_at(uint64_t, MutableBytes) override { return failure(ErrorKind::unsupported, "read", ""); }
  void rewind() override {}

 private:
  Bytes content_;
  size_t drop_;
};

// What a stream gave until its end or its error.
struct Outcome {
  Data decoded;
  std::optional<Error> error;
  std::optional<uint64_t> garbage_at;
};

Outcome decode(std::unique_ptr<stream::Input> input, const stream::SourceRequest& request, size_t step = 100 * kibi) {
  Outcome outcome;
  auto source = stream::Source::open(std::move(input), request);
  if (!source) {
    outcome.error = source.error();
    return outcome;
  }
  Data part(step);
  while (true) {
    const auto made = (*source)->fill(part);
    if (!made) outcome.error = made.error();
    if (!made || *made == 0) break;
    outcome.decoded.insert(outcome.decoded.end(), part.begin(), part.begin() + static_cast<ptrdiff_t>(*made));
    if (*made < part.size()) break;
  }
  outcome.garbage_at = (*source)->garbage_at();
  return outcome;
}

Outcome decode(const Data& stored, const stream::SourceRequest& request = {}, size_t step = 100 * kibi) {
  MemoryDevice file(stored);
  return decode(stream::make_file_input(file), request, step);
}

std::optional<uint64_t> size_of(const Data& stored) {
  MemoryDevice file(stored);
  auto source = stream::Source::open(stream::make_file_input(file), {});
  return source ? (*source)->size() : std::nullopt;
}

void add_compressions() {
  QTest::addColumn<QString>("command");
  QTest::addColumn<QString>("format");
  const auto row = [](const char* command, const char* format) {
    QTest::newRow(command) << QString::fromLatin1(command) << QString::fromLatin1(format);
  };
  row("gzip -1", "gz");
  row("gzip -9", "gz");
  row("bzip2 -1", "bz2");
  row("bzip2 -9", "bz2");
  row("xz -0", "xz");
  row("xz -6", "xz");
  row("xz -T2 --block-size=64KiB", "xz");
  row("xz -T1 --block-size=64KiB --check=crc32", "xz");
  row("xz --x86 --lzma2=preset=1", "xz");
  row("zstd -q -1", "zst");
  row("zstd -q -19", "zst");
  row("zstd -q --no-check", "zst");
  row("zstd -q --long=27", "zst");
}

}  // namespace

class SourceTest : public QObject {
  Q_OBJECT

  const Data plain_ = test::mixed_guest(300 * kibi + 13, 5);

 private slots:
  void decodesWhatItsProgramMade_data() { add_compressions(); }
  void decodesWhatItsProgramMade() {
    QFETCH(QString, command);
    QFETCH(QString, format);
    const Data stored = compressed(command.toStdString(), plain_);
    for (const size_t step : {size_t{1} << 20, 4096 * size_t{3}, size_t{7777}}) {
      const Outcome outcome = decode(stored, {}, step);
      QVERIFY(!outcome.error);
      QVERIFY(outcome.decoded == plain_);
      QVERIFY(!outcome.garbage_at);
    }
    MemoryDevice file(stored);
    const auto source = stream::Source::open(stream::make_file_input(file), {});
    QVERIFY(source);
    QCOMPARE(QString::fromStdString(std::string((*source)->format())), format);
    QCOMPARE((*source)->stored_size(), std::optional<uint64_t>(stored.size()));
  }

  void needsNoMoreThanAByteAtATime_data() { add_compressions(); }
  void needsNoMoreThanAByteAtATime() {
    QFETCH(QString, command);
    const Data small(plain_.begin(), plain_.begin() + 20000);
    const Data stored = compressed(command.toStdString(), small);
    const Outcome outcome = decode(std::make_unique<DripInput>(stored, 1), {}, 977);
    QVERIFY(!outcome.error);
    QVERIFY(outcome.decoded == small);
  }

  void nothingBecomesNothing_data() { add_compressions(); }
  void nothingBecomesNothing() {
    QFETCH(QString, command);
    const Outcome outcome = decode(compressed(command.toStdString(), {}));
    QVERIFY(!outcome.error);
    QVERIFY(outcome.decoded.empty());
  }

  void severalStreamsAreOne_data() { add_compressions(); }
  void severalStreamsAreOne() {
    QFETCH(QString, command);
    QFETCH(QString, format);
    const std::string program = command.toStdString();
    const Data first(plain_.begin(), plain_.begin() + 100001), second(plain_.begin() + 100001, plain_.end());
    Data between;
    if (format == "xz") between = Data(8);                                                         // stream padding
    if (format == "zst") between = bytes_of({0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'});  // skippable
    const Data stored = compressed(program, first) + compressed(program, {}) + between + compressed(program, second);
    Outcome outcome = decode(stored);
    QVERIFY(!outcome.error);
    QVERIFY(outcome.decoded == plain_);
    outcome = decode(std::make_unique<DripInput>(stored, 1021), {});
    QVERIFY(!outcome.error);
    QVERIFY(outcome.decoded == plain_);
  }

  void anEndInTheMiddleIsDamage_data() { add_compressions(); }
  void anEndInTheMiddleIsDamage() {
    QFETCH(QString, command);
    QFETCH(QString, format);
    const Data small(plain_.begin(), plain_.begin() + 12000);
    const Data stored = compressed(command.toStdString(), small);
    std::mt19937 random(1);
    for (size_t cut = 0; cut < stored.size(); cut += cut < 40 || cut + 40 > stored.size() ? 1 : 1 + random() % 500) {
      const Data part(stored.begin(), stored.begin() + static_cast<ptrdiff_t>(cut));
      const Outcome outcome = decode(part, {.format = format.toStdString(), .limits = {}});
      QVERIFY2(outcome.error, qPrintable(QString::number(cut)));
      QCOMPARE(outcome.error->kind, ErrorKind::corrupt);
      QVERIFY(outcome.error->offset && *outcome.error->offset <= cut);
      QVERIFY(outcome.decoded.size() <= small.size());
      QVERIFY(std::ranges::equal(outcome.decoded, Bytes(small).first(outcome.decoded.size())));
    }
  }

  // A changed bit may be harmless (a time, a name) or be noticed; it never gives other bytes and success.
  void aWrongBitIsNeverPassedOn_data() { add_compressions(); }
  void aWrongBitIsNeverPassedOn() {
    QFETCH(QString, command);
    QFETCH(QString, format);
    if (command.contains("no-check")) return;
    const Data small(plain_.begin(), plain_.begin() + 12000);
    Data stored = compressed(command.toStdString(), small);
    std::mt19937 random(2);
    int noticed = 0;
    for (size_t at = 0; at < stored.size(); at += at < 40 || at + 40 > stored.size() ? 1 : 1 + random() % 300) {
      const auto bit = static_cast<std::byte>(1U << random() % 8);
      stored[at] ^= bit;
      const Outcome outcome = decode(stored, {.format = format.toStdString(), .limits = {.most_window = 1 << 27}});
      stored[at] ^= bit;
      QVERIFY2(outcome.error || outcome.decoded == small, qPrintable(QString::number(at)));
      noticed += outcome.error ? 1 : 0;
    }
    QVERIFY(noticed > 50);
  }

  void whatFollowsGzipAndIsNoneIsTold() {
    for (const char* program : {"gzip", "bzip2"}) {
      const Data stored = compressed(program, plain_);
      Outcome outcome = decode(stored + bytes_of({'t', 'a', 'i', 'l'}));
      QVERIFY(!outcome.error);
      QVERIFY(outcome.decoded == plain_);
      QCOMPARE(outcome.garbage_at, std::optional<uint64_t>(stored.size()));

      outcome = decode(stored + Data(3 << 20));
      QVERIFY(!outcome.error);
      QVERIFY(outcome.decoded == plain_);
      QVERIFY(!outcome.garbage_at);

      outcome = decode(stored + Data(5000) + bytes_of({1}));
      QVERIFY(!outcome.error);
      QCOMPARE(outcome.garbage_at, std::optional<uint64_t>(stored.size()));
    }
  }

  void whatFollowsXzOrZstdAndIsNoneIsDamage() {
    for (const char* program : {"xz", "zstd -q"}) {
      const Data stored = compressed(program, plain_);
      for (const Data& tail : {bytes_of({'t', 'a', 'i', 'l', ' ', 'o', 'f', ' ', 'i', 't', '!', '!'}), bytes_of({0})}) {
        const Outcome outcome = decode(stored + tail);
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->kind, ErrorKind::corrupt);
      }
    }
  }

  void knowsTheSizeWhereItCanBeBelieved() {
    const Data xz = compressed("xz -T2 --block-size=64KiB", plain_),
               zst = compressed("zstd -q --stream-size=307213", plain_);
    QCOMPARE(plain_.size(), size_t{307213});
    QCOMPARE(size_of(xz), std::optional<uint64_t>(plain_.size()));
    QCOMPARE(size_of(xz + Data(4) + xz), std::optional<uint64_t>(2 * plain_.size()));
    QCOMPARE(size_of(zst), std::optional<uint64_t>(plain_.size()));
    const Data skippable = bytes_of({0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4});
    QCOMPARE(size_of(skippable + zst + skippable + zst + skippable), std::optional<uint64_t>(2 * plain_.size()));
    // A frame of run-length blocks, and one of stored blocks.
    QCOMPARE(size_of(compressed("zstd -q --stream-size=1000000", Data(1000000))), std::optional<uint64_t>(1000000));

    QCOMPARE(size_of(compressed("gzip", plain_)), std::nullopt);
    QCOMPARE(size_of(compressed("bzip2", plain_)), std::nullopt);
    // From a pipe zstd does not know it itself; and one such frame is enough.
    QCOMPARE(size_of(compressed("zstd -q", plain_) + zst).has_value(), false);
  }

  void aSizeThatIsCutOffIsNone() {
    const Data zst = compressed("zstd -q --stream-size=307213", plain_), xz = compressed("xz", plain_);
    for (const Data& stored : {zst, xz}) {
      for (size_t cut = 513; cut < stored.size(); cut += 997) {
        QCOMPARE(size_of(Data(stored.begin(), stored.begin() + static_cast<ptrdiff_t>(cut))), std::nullopt);
      }
    }
  }

  void memoryIsBoundedUnlessAsked() {
    for (const char* program : {"zstd -q --long=28", "xz --lzma2=dict=192MiB"}) {
      const Data stored = compressed(program, plain_);
      const Outcome refused = decode(stored);
      QVERIFY(refused.error);
      QCOMPARE(refused.error->kind, ErrorKind::refused);
      const Outcome allowed = decode(stored, {.format = {}, .limits = {.most_window = 256 << 20}});
      QVERIFY(!allowed.error);
      QVERIFY(allowed.decoded == plain_);
    }
  }

  void whatIsNotCompressedComesAsItIs() {
    for (const size_t drop : {size_t{1}, size_t{100000}}) {
      const Outcome outcome = decode(std::make_unique<DripInput>(plain_, drop), {});
      QVERIFY(!outcome.error);
      QVERIFY(outcome.decoded == plain_);
    }
    const Data stored = compressed("gzip", plain_);
    QVERIFY(decode(stored, {.format = "raw", .limits = {}}).decoded == stored);
  }

  void aShortOrStrangeStartIsNoCompression() {
    for (const Data& head : {Data{}, bytes_of({0x1f}), bytes_of({0x1f, 0x8b, 8, 0xff, 0, 0, 0, 0, 0, 3}),
                             bytes_of({0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0, 1, 2, 3, 4}),
                             bytes_of({'B', 'Z', 'h', '9', 1, 2, 3, 4, 5, 6})}) {
      QVERIFY(!stream::detect_encoding(head));
    }
  }

  void theFormatThatIsSaidIsTheFormat() {
    const Outcome wrong = decode(compressed("gzip", plain_), {.format = "xz", .limits = {}});
    QVERIFY(wrong.error);
    QCOMPARE(wrong.error->kind, ErrorKind::corrupt);
    QCOMPARE(decode(plain_, {.format = "lzip", .limits = {}}).error->kind, ErrorKind::invalid);
  }

  void theHeadIsGivenAgain() {
    MemoryDevice file(compressed("gzip", plain_));
    auto source = stream::Source::open(stream::make_file_input(file), {});
    QVERIFY(source);
    for (const size_t size : {100U, 4096U, 10U}) {
      const auto head = (*source)->head(size);
      QVERIFY(head);
      QVERIFY(std::ranges::equal(*head, Bytes(plain_).first(size)));
    }
    Data all(plain_.size() + 1);
    QCOMPARE(*(*source)->fill(MutableBytes(all).first(50)), size_t{50});
    QCOMPARE(*(*source)->fill(MutableBytes(all).subspan(50)), plain_.size() - 50);
    all.pop_back();
    QVERIFY(all == plain_);
  }

  void canBeReadAgainFromItsStart() {
    for (const char* program : {"gzip", "xz", "zstd -q", "bzip2", "cat"}) {
      MemoryDevice file(compressed(program, plain_));
      auto source = stream::Source::open(stream::make_file_input(file), {});
      QVERIFY(source);
      QVERIFY((*source)->can_rewind());
      Data all(plain_.size());
      QVERIFY((*source)->fill(MutableBytes(all).first(70001)));
      QVERIFY((*source)->rewind());
      QCOMPARE((*source)->taken(), uint64_t{0});
      QCOMPARE(*(*source)->fill(all), plain_.size());
      QVERIFY(all == plain_);
    }
  }

  void countsTheStoredBytesItTook() {
    const Data stored = compressed("xz", plain_);
    MemoryDevice file(stored);
    auto source = stream::Source::open(stream::make_file_input(file), {});
    QVERIFY(source);
    Data all(plain_.size() + 1);
    QVERIFY((*source)->fill(all));
    QCOMPARE((*source)->taken(), stored.size());
  }

  void aFileMayBeginFurtherOn() {
    MemoryDevice file(Data(777, std::byte{9}) + compressed("xz", plain_));
    auto source = stream::Source::open(stream::make_file_input(file, 777), {});
    QVERIFY(source);
    QCOMPARE((*source)->size(), std::optional<uint64_t>(plain_.size()));
    Data all(plain_.size());
    QVERIFY((*source)->fill(all));
    QVERIFY(all == plain_);
  }

  void waitingForAPipeCanBeEnded() {
    std::array<int, 2> ends{};
    QCOMPARE(pipe(ends.data()), 0);
    std::atomic<bool> halted{false};
    auto input = stream::make_pipe_input(ends[0], "pipe");
    input->halt_when([&] { return halted.load(); });
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      halted = true;
    });
    Data buffer(10);
    const auto read = input->read(buffer);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::stopped);
    close(ends[0]);
    close(ends[1]);
  }
};

QTEST_GUILESS_MAIN(SourceTest)
#include "source_test.moc"
