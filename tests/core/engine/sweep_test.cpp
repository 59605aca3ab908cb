// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sweep.h"

#include <QTest>
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using namespace std::chrono_literals;
using test::CountingDevice;
using test::FaultyDevice;
using test::MemoryDevice;

namespace {

constexpr uint64_t kib = 1 << 10, mib = 1 << 20;

SweepPoint point(uint64_t size, double rate) { return {.size = size, .requests = 1, .seconds = 1, .rate = rate}; }

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT

 private slots:
  void eachSizeGoesThroughTheAreaInOrderAndNeverOutOfIt() {
    MemoryDevice memory(4 * mib);
    CountingDevice device(memory);
    const SweepRequest request{.sizes = {64 * kib, 256 * kib, mib},
                               .area = 2 * mib,
                               .time_per_size = 1h,
                               .bytes_per_size = 8 * mib,
                               .rounds = 4};
    const auto points = sweep(device, request, stop_);
    QVERIFY(points);
    std::map<uint64_t, uint64_t> bytes;
    uint64_t next = 0;
    for (const Range& read : device.reads()) {
      QVERIFY(read.end() <= request.area);
      QCOMPARE(read.at % read.length, 0U);
      QCOMPARE(read.at, next + read.length > request.area ? 0U : (next + read.length - 1) / read.length * read.length);
      next = read.end();
      bytes[read.length] += read.length;
    }
    QCOMPARE(points->size(), 3U);
    for (const SweepPoint& each : *points) {
      QCOMPARE(bytes[each.size], 8 * mib);
      QCOMPARE(each.requests, 8 * mib / each.size);
      QVERIFY(each.rate > 0 && each.seconds > 0 && each.p50 <= each.p99);
      QVERIFY(each.least_rate > 0 && each.least_rate <= each.rate && each.rate <= each.most_rate);
    }
    QVERIFY(device.writes().empty());
  }

  void sizesTakeTurnsUpAndDown() {
    MemoryDevice memory(mib);
    const SweepRequest request{
        .sizes = {4 * kib, 8 * kib}, .area = mib, .time_per_size = 1h, .bytes_per_size = 64 * kib, .rounds = 3};
    std::vector<std::pair<uint64_t, unsigned>> told;
    QVERIFY(sweep(memory, request, stop_,
                  [&](uint64_t size, unsigned round, unsigned) { told.emplace_back(size, round); }));
    using Told = decltype(told);
    QCOMPARE(told, (Told{{4 * kib, 1}, {8 * kib, 1}, {8 * kib, 2}, {4 * kib, 2}, {4 * kib, 3}, {8 * kib, 3}}));
  }

  void itEndsWithItsTime() {
    MemoryDevice memory(mib);
    const SweepRequest request{.sizes = {4 * kib, 64 * kib}, .area = mib, .time_per_size = 50ms};
    const auto start = std::chrono::steady_clock::now();
    const auto points = sweep(memory, request, stop_);
    QVERIFY(points);
    QVERIFY(std::chrono::steady_clock::now() - start >= 100ms);
    for (const SweepPoint& each : *points) QVERIFY(each.seconds >= 0.05 && each.requests > 5);
  }

  void asManyRequestsAreInFlightAsWereAskedFor() {
    MemoryDevice memory(mib, IoMode::queued);
    CountingDevice device(memory);
    const SweepRequest request{
        .sizes = {4 * kib}, .depth = 8, .area = mib, .time_per_size = 1h, .bytes_per_size = 512 * kib, .rounds = 1};
    const auto points = sweep(device, request, stop_);
    QVERIFY(points);
    QCOMPARE(device.most_in_flight(), 8U);
    QCOMPARE(points->front().requests, 128U);
  }

  void depthNeedsADeviceThatQueues() {
    MemoryDevice memory(mib);
    const auto points = sweep(memory, {.sizes = {4 * kib}, .depth = 2, .area = mib}, stop_);
    QVERIFY(!points);
    QCOMPARE(points.error().kind, ErrorKind::unsupported);
  }

  void noTwoBlocksThatAreWrittenAreEqual() {
    MemoryDevice memory(mib);
    QVERIFY(lay_out(memory, mib, stop_));
    std::set<std::string> blocks;
    for (uint64_t at = 0; at < mib; at += 4 * kib)
      blocks.emplace(reinterpret_cast<const char*>(memory.content().data()) + at, 4 * kib);
    QCOMPARE(blocks.size(), 256U);
  }

  void layingOutWritesTheAreaOnceAndNoByteMore() {
    MemoryDevice memory(8 * mib);
    CountingDevice device(memory);
    QVERIFY(lay_out(device, 3 * mib, stop_));
    QCOMPARE(device.bytes_written(), 3 * mib);
    for (const Range& write : device.writes()) QVERIFY(write.end() <= 3 * mib);
  }

  void anErrorOfTheDeviceEndsIt() {
    MemoryDevice memory(mib);
    FaultyDevice device(memory);
    device.fail_read(7, EIO);
    const auto points = sweep(device, {.sizes = {4 * kib}, .area = mib, .time_per_size = 1h}, stop_);
    QVERIFY(!points);
    QCOMPARE(points.error().os_error, EIO);
    QCOMPARE(device.reads(), 7U);
  }

  void whatDoesNotFitIsRefused() {
    MemoryDevice memory(64 * kib);
    QVERIFY(!sweep(memory, {.sizes = {mib}, .area = 64 * kib}, stop_));
    QVERIFY(!sweep(memory, {.sizes = {4 * kib}, .area = mib}, stop_));
    QVERIFY(!sweep(memory, {.sizes = {}, .area = 64 * kib}, stop_));
  }

  void itStopsWhenItIsAskedTo() {
    MemoryDevice memory(mib);
    Stop stop;
    const SweepRequest request{.sizes = {4 * kib}, .area = mib, .time_per_size = 1h};
    const auto points = sweep(memory, request, stop, [&](uint64_t, unsigned, unsigned) { stop.request(); });
    QVERIFY(!points);
    QCOMPARE(points.error().kind, ErrorKind::stopped);
  }

  // The published table of 2015, a device that slows beyond 1 MiB.
  void theKneeIsTheSmallestSizeNearTheBest() {
    const std::vector<SweepPoint> slower{point(4 * kib, 20), point(64 * kib, 94), point(256 * kib, 96),
                                         point(mib, 100),    point(2 * mib, 86),  point(4 * mib, 70)};
    QCOMPARE(knee_of(slower), 2U);
    const std::vector<SweepPoint> growing{point(4 * kib, 20), point(64 * kib, 60), point(mib, 100)};
    QCOMPARE(knee_of(growing), 2U);
    QCOMPARE(knee_of({}), std::nullopt);
    const std::vector<SweepPoint> dead{point(4 * kib, 0)};
    QCOMPARE(knee_of(dead), std::nullopt);
  }

 private:
  Stop stop_;
};

QTEST_GUILESS_MAIN(SweepTest)
#include "sweep_test.moc"
