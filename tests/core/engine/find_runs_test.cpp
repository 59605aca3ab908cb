// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/find_runs.h"

#include <QTest>
#include <algorithm>
#include <random>

#include "tests/support/fake_reader.h"

using namespace disklathe;
using test::data;
using test::zero;

class FindRunsTest : public QObject {
  Q_OBJECT

  std::vector<std::byte> memory_;
  std::vector<Run> runs_;

  Piece piece(uint64_t at, std::vector<Extent> extents) {
    Piece made{.guest = {at, extents.back().guest.end() - at}, .extents = std::move(extents)};
    memory_.assign(made.guest.length, std::byte{0xee});  // stale bytes of the piece before
    return made;
  }

 private slots:
  void zeroesInsideDataAreFoundByBlock() {
    const Piece one = piece(8192, {data(8192, 4 * 4096, 0)});
    std::fill_n(memory_.begin() + 4096, 4096, std::byte{0});
    find_runs(one, memory_, 4096, 4096, runs_);
    QCOMPARE(runs_.size(), 3u);
    QCOMPARE(runs_[1].guest, (Range{8192 + 4096, 4096}));
    QVERIFY(runs_[1].zero);
  }

  void extentsThatReadZeroAreNotLookedAt() {
    const Piece one = piece(0, {data(0, 4096, 0), zero(4096, 8192)});
    find_runs(one, memory_, 4096, 4096, runs_);
    QCOMPARE(runs_.size(), 2u);
    QCOMPARE(runs_[1].guest, (Range{4096, 8192}));
    QVERIFY(
        std::ranges::all_of(memory_.begin() + 4096, memory_.end(), [](std::byte b) { return b == std::byte{0xee}; }));
  }

  void aBlockPartlyZeroByTheMapIsFilledIn() {
    const Piece one = piece(0, {data(0, 512, 0), zero(512, 3584), data(4096, 4096, 512)});
    find_runs(one, memory_, 4096, 4096, runs_);
    QCOMPARE(runs_.size(), 1u);
    QVERIFY(!runs_[0].zero);
    QCOMPARE(memory_[511], std::byte{0xee});
    QVERIFY(std::ranges::all_of(memory_.begin() + 512, memory_.begin() + 4096,
                                [](std::byte b) { return b == std::byte{0}; }));
  }

  void aUnitIsZeroOnlyWhenAllOfItIs() {
    const Piece one = piece(0, {zero(0, 60000), data(60000, 5536, 0), zero(65536, 65536)});
    find_runs(one, memory_, 65536, 4096, runs_);
    QCOMPARE(runs_.size(), 2u);
    QVERIFY(!runs_[0].zero);
    QCOMPARE(runs_[0].guest, (Range{0, 65536}));
    QCOMPARE(memory_[0], std::byte{0});
  }

  void shortRunsOfZeroesInsideDataStayData() {
    const Piece one = piece(
        0, {data(0, 4096, 0), zero(4096, 4096), data(8192, 4096, 4096), zero(12288, 65536), data(77824, 4096, 0)});
    find_runs(one, memory_, 4096, 16384, runs_);
    QCOMPARE(runs_.size(), 3u);
    QCOMPARE(runs_[0].guest, (Range{0, 12288}));
    QCOMPARE(memory_[4096], std::byte{0});
    QVERIFY(runs_[1].zero);
  }

  void holesAreFoldedIntoTheDataRoundThem() {
    const Piece one =
        piece(0, {data(0, 4096, 0), zero(4096, 8192), data(12288, 4096, 0), zero(16384, 16384), data(32768, 4096, 0)});
    find_runs(one, memory_, 4096, 4096, runs_);
    fold_holes(one, memory_, 16384, runs_);
    QCOMPARE(runs_.size(), 3u);
    QCOMPARE(runs_[0].guest, (Range{0, 16384}));
    QCOMPARE(memory_[4096], std::byte{0});
    QVERIFY(runs_[1].zero);
  }

  void aHoleAtTheEdgeIsAsLongAsItGoesOnBeyondIt() {
    Piece one = piece(65536, {zero(65536, 8192), data(73728, 4096, 0), zero(77824, 8192)});
    one.zero_before = 4096;
    one.zero_after = 65536;
    find_runs(one, memory_, 4096, 4096, runs_);
    fold_holes(one, memory_, 16384, runs_);
    QCOMPARE(runs_.size(), 2u);
    QCOMPARE(runs_[0].guest, (Range{65536, 12288}));
    QVERIFY(runs_[1].zero);
  }

  void wherePricesSayNeverAllIsData() {
    const Piece one = piece(0, {zero(0, 8192)});
    find_runs(one, memory_, 4096, 4096, runs_);
    fold_holes(one, memory_, UINT64_MAX, runs_);
    QCOMPARE(runs_.size(), 1u);
    QVERIFY(!runs_[0].zero);
    QVERIFY(std::ranges::all_of(memory_, [](std::byte b) { return b == std::byte{0}; }));
  }

  void withoutASparseSizeEverythingIsData() {
    const Piece one = piece(0, {data(0, 4096, 0), zero(4096, 4096)});
    find_runs(one, memory_, 4096, 0, runs_);
    QCOMPARE(runs_.size(), 1u);
    QVERIFY(!runs_[0].zero);
    QCOMPARE(memory_[4096], std::byte{0});
  }

  void theLastBlockMayBeShort() {
    const Piece one = piece(4096, {data(4096, 5000, 0)});
    std::fill(memory_.begin() + 4096, memory_.end(), std::byte{0});
    find_runs(one, memory_, 4096, 4096, runs_);
    QCOMPARE(runs_.size(), 2u);
    QCOMPARE(runs_[1].guest, (Range{8192, 904}));
  }

  // Whatever the map and the bytes: runs cover the piece, data runs hold the right bytes, zero runs hold none.
  void runsSayWhatTheBytesAre() {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      std::vector<Extent> extents;
      uint64_t at = 0;
      while (at < 64 * 1024) {
        const uint64_t length = 512 * (1 + random() % 24);
        extents.push_back(random() % 2 ? zero(at, length) : data(at, length, at));
        at += length;
      }
      const Piece one = piece(0, extents);
      std::vector<std::byte> truth(memory_.size());
      for (const Extent& extent : extents) {
        if (reads_zero(extent)) continue;
        for (uint64_t i = extent.guest.at; i < extent.guest.end(); ++i) {
          memory_[i] = truth[i] =
              static_cast<std::byte>(random() % 64 || extent.guest.length % 1024 ? (i / 700) % 3 : 0);
        }
      }
      const uint32_t block = 512u << (random() % 5);
      find_runs(one, memory_, block, block * static_cast<uint32_t>(1 + random() % 3), runs_);
      uint64_t next = 0;
      for (const Run& run : runs_) {
        QCOMPARE(run.guest.at, next);
        next = run.guest.end();
        for (uint64_t i = run.guest.at; i < next; ++i) QCOMPARE(run.zero ? std::byte{0} : memory_[i], truth[i]);
      }
      QCOMPARE(next, one.guest.end());
    }
  }
};

QTEST_GUILESS_MAIN(FindRunsTest)
#include "find_runs_test.moc"
