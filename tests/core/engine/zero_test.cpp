// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/zero.h"

#include <QTest>
#include <algorithm>

#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/priced_device.h"

using namespace disklathe;
using test::CountingDevice;
using test::FaultyDevice;
using test::MemoryDevice;

namespace {

constexpr uint64_t mebi = 1 << 20;
std::vector<std::byte> noise(uint64_t size) { return std::vector<std::byte>(size, std::byte{0xaa}); }

}  // namespace

class ZeroTest : public QObject {
  Q_OBJECT

  Progress progress_;
  Stop stop_;

  Result<ZeroStrategy::Done> zero(BlockDevice& target, std::vector<Range> ranges,
                                  std::optional<ZeroMethod> only = std::nullopt) {
    return make_zero({.target = &target, .ranges = std::move(ranges), .only = only}, progress_, stop_);
  }

 private slots:
  void init() {
    progress_.~Progress();
    new (&progress_) Progress;
    new (&stop_) Stop;
  }

  void onlyTheRangesBecomeZero_data() {
    QTest::addColumn<bool>("queued");
    QTest::addColumn<int>("method");
    for (const bool queued : {false, true}) {
      for (const int method : {-1, 0, 1, 2}) QTest::addRow("%d %d", queued, method) << queued << method;
    }
  }
  void onlyTheRangesBecomeZero() {
    QFETCH(bool, queued);
    QFETCH(int, method);
    MemoryDevice device(noise(40 * mebi), queued ? IoMode::queued : IoMode::immediate);
    device.fix_size();
    auto expected = noise(40 * mebi);
    const std::vector<Range> ranges{{5, 7}, {mebi + 1, 30 * mebi}, {40 * mebi - 1, 1}};
    for (const Range& range : ranges) std::fill_n(expected.data() + range.at, range.length, std::byte{0});
    const auto only = method < 0 ? std::nullopt : std::optional(static_cast<ZeroMethod>(method));
    const auto done = zero(device, ranges, only);
    QVERIFY(done);
    QVERIFY(device.content() == expected);
    QCOMPARE(done->commanded + done->written, 30 * mebi + 8);
    QCOMPARE(progress_.zeroed.load(), progress_.total.load());
    if (only && only != ZeroMethod::buffers) QCOMPARE(done->command, only);
    if (only == ZeroMethod::buffers) QCOMPARE(done->commanded, 0u);
  }

  void aMethodThatWasAskedForIsNotReplaced() {
    MemoryDevice device(noise(4 * mebi));
    device.refuse(ZeroMethod::write_zeroes);
    const auto done = zero(device, {{0, 4 * mebi}}, ZeroMethod::write_zeroes);
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::unsupported);
    QVERIFY(device.content() == noise(4 * mebi));
  }

  void writesOfZeroesAreKeptInFlight() {
    MemoryDevice device(noise(64 * mebi), IoMode::queued);
    CountingDevice counted(device);
    QVERIFY(zero(counted, {{0, 64 * mebi}}, ZeroMethod::buffers));
    QCOMPARE(counted.most_in_flight(), 8u);
    QCOMPARE(counted.flushes(), 1u);
  }

  void aSlowCommandGivesWayToWriting() {
    test::PricedDevice device(uint64_t{1} << 30, 4096,
                              {.write_per_byte = 1 / 400e6, .zero_fixed = 1e-3, .zero_per_byte = 1 / 100e6});
    const auto done =
        make_zero({.target = &device, .ranges = {{0, device.size()}}, .clock = &device}, progress_, stop_);
    QVERIFY(done);
    QVERIFY(done->commanded <= 16 * mebi);
    QVERIFY(device.seconds() < 1.05 * (1 << 30) / 400e6);
    QCOMPARE(device.touched_twice(), 0u);
  }

  void aWriteErrorEndsIt() {
    MemoryDevice device(noise(16 * mebi));
    FaultyDevice faulty(device);
    faulty.fail_at(9 * mebi, EIO);
    const auto done = zero(faulty, {{0, 16 * mebi}});
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::io);
  }

  void aStopIsHeard() {
    MemoryDevice device(noise(mebi));
    stop_.request();
    const auto done = zero(device, {{0, mebi}});
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::stopped);
    QVERIFY(device.content() == noise(mebi));
  }

  void oneByteThatIsNotZeroIsFound() {
    for (const IoMode mode : {IoMode::immediate, IoMode::queued}) {
      std::vector<std::byte> content(20 * mebi);
      content[11 * mebi + 77] = std::byte{1};
      content[19 * mebi] = std::byte{1};
      MemoryDevice device(content, mode);
      const std::vector<Range> all{{0, 20 * mebi}}, around{{0, 11 * mebi + 77}, {11 * mebi + 78, 8 * mebi - 78}};
      QCOMPARE(*find_nonzero(device, all, progress_, stop_), std::optional(11 * mebi + 77));
      QCOMPARE(*find_nonzero(device, around, progress_, stop_), std::optional<uint64_t>());
      QCOMPARE(progress_.verified.load(), progress_.total.load());
    }
  }

  void holesAreNotRead() {
    MemoryDevice device(64 * mebi);
    CountingDevice counted(device);
    QCOMPARE(*find_nonzero(counted, std::vector<Range>{{0, 64 * mebi}}, progress_, stop_), std::optional<uint64_t>());
    QCOMPARE(counted.bytes_read(), 0u);
    QCOMPARE(progress_.verified.load(), 64 * mebi);
  }

  void whatCannotBeReadIsNotZero() {
    MemoryDevice device(std::vector<std::byte>(8 * mebi));
    FaultyDevice faulty(device);
    faulty.fail_at(5 * mebi, EIO);
    QVERIFY(!find_nonzero(faulty, std::vector<Range>{{0, 8 * mebi}}, progress_, stop_));
  }

  void samplesLieInTheRangesApartAndTouchTheirEnds_data() {
    QTest::addColumn<quint64>("first");
    QTest::addColumn<quint64>("second");
    for (const quint64 first : {quint64{1}, quint64{4096}, quint64{100000}, quint64{131072}, quint64{7 * mebi + 3}}) {
      for (const quint64 second : {quint64{65536}, quint64{mebi}, quint64{1} << 42}) {
        QTest::addRow("%llu %llu", first, second) << first << second;
      }
    }
  }
  void samplesLieInTheRangesApartAndTouchTheirEnds() {
    QFETCH(quint64, first);
    QFETCH(quint64, second);
    const std::vector<Range> ranges{{512, first}, {1 << 30, second}};
    for (uint32_t seed = 0; seed < 5; ++seed) {
      const auto places = sample_places(ranges, 256, seed);
      QVERIFY(places.size() <= 260);
      uint64_t end = 0;
      for (const Range& place : places) {
        QVERIFY(place.at >= end && place.length > 0 && place.length <= 65536);
        end = place.end();
        QVERIFY(std::ranges::any_of(ranges, [&](const Range& r) { return intersection(r, place) == place; }));
      }
      for (const Range& range : ranges) {
        QVERIFY(std::ranges::any_of(places, [&](const Range& place) { return place.at == range.at; }));
        QVERIFY(std::ranges::any_of(places, [&](const Range& place) { return place.end() == range.end(); }));
      }
    }
  }
};

QTEST_GUILESS_MAIN(ZeroTest)
#include "zero_test.moc"
