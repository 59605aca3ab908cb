// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/known_runs.h"

#include <QTest>
#include <thread>

#include "tests/support/counting_device.h"
#include "tests/support/memory_device.h"

using namespace disklathe;

namespace {

// Runs of 64 KiB, data and hole in turns; a question gets the rest of its run.
class Striped final : public test::WrappedDevice {
 public:
  static constexpr uint64_t stripe = 64 << 10;
  using WrappedDevice::WrappedDevice;

  Result<Allocation> allocation(uint64_t at) override {
    return Allocation{.range = Range::between(at, (at / stripe + 1) * stripe), .data = at / stripe % 2 == 0};
  }
};

}  // namespace

class KnownRunsTest : public QObject {
  Q_OBJECT

 private slots:
  void aRunIsAskedForOnce() {
    test::MemoryDevice memory(std::vector<std::byte>(1 << 20));
    Striped striped(memory);
    test::CountingDevice counting(striped);
    KnownRuns runs(counting);
    for (uint64_t at = 0; at < 1 << 20; at += 4096) {
      const auto run = runs.at(at);
      QVERIFY(run && run->range.contains(at));
      QCOMPARE(run->data, at / Striped::stripe % 2 == 0);
      QCOMPARE(run->range.end(), (at / Striped::stripe + 1) * Striped::stripe);
    }
    QCOMPARE(counting.looks(), size_t{16});
  }

  void whoComesFromBehindIsToldTheTruth() {
    test::MemoryDevice memory(std::vector<std::byte>(1 << 20));
    Striped striped(memory);
    KnownRuns runs(striped);
    for (uint64_t at = 1 << 20; at > 0; at -= 4096) {
      const auto run = runs.at(at - 4096);
      QVERIFY(run && run->range.contains(at - 4096));
      QCOMPARE(run->data, (at - 4096) / Striped::stripe % 2 == 0);
    }
  }

  // More runs than are kept.
  void whatIsForgottenIsAskedForAnew() {
    test::MemoryDevice memory(std::vector<std::byte>(1));
    struct Endless final : test::WrappedDevice {
      using WrappedDevice::WrappedDevice;
      Result<Allocation> allocation(uint64_t at) override {
        return Allocation{.range = {at / 4096 * 4096, 4096}, .data = at / 4096 % 3 == 0};
      }
    } endless(memory);
    KnownRuns runs(endless);
    for (int round = 0; round < 2; ++round) {
      for (uint64_t at = 0; at < uint64_t{10000} * 4096; at += 4096) QCOMPARE(runs.at(at)->data, at / 4096 % 3 == 0);
    }
  }

  void aFileThatBecameShorterIsAnError() {
    test::MemoryDevice memory(std::vector<std::byte>(1 << 20));
    struct Cut final : test::WrappedDevice {
      using WrappedDevice::WrappedDevice;
      Result<Allocation> allocation(uint64_t at) override { return Allocation{.range = {at, 0}}; }
    } cut(memory);
    KnownRuns runs(cut);
    const auto run = runs.at(4096);
    QVERIFY(!run);
    QCOMPARE(run.error().kind, ErrorKind::changed);
  }

  void manyMayAskAtOnce() {
    test::MemoryDevice memory(std::vector<std::byte>(4 << 20));
    Striped striped(memory);
    KnownRuns runs(striped);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (uint64_t first = 0; first < 4; ++first) {
      threads.emplace_back([&, first] {
        for (uint64_t at = first * 4096; at < 4 << 20; at += 4 * 4096) {
          const auto run = runs.at(at);
          if (!run || run->data != (at / Striped::stripe % 2 == 0)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
  }
};

QTEST_GUILESS_MAIN(KnownRunsTest)
#include "known_runs_test.moc"
