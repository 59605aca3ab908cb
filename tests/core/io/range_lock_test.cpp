// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/range_lock.h"

#include <QTest>
#include <array>
#include <atomic>
#include <string>
#include <thread>

using namespace disklathe;
using Mode = RangeLock::Mode;

namespace {

Task<void> note(Ring& ring, RangeLock& lock, Range range, Mode mode, std::string& notes, char name) {
  const auto hold = co_await lock.lock(ring, range, mode);
  notes += name;
}

Task<void> hold_first(Ring& ring, RangeLock& lock, std::string& notes) {
  const auto hold = co_await lock.lock(ring, {0, 100}, Mode::shared);
  ring.spawn(note(ring, lock, {50, 10}, Mode::shared, notes, 'a'));      // beside it
  ring.spawn(note(ring, lock, {50, 100}, Mode::exclusive, notes, 'b'));  // after it
  ring.spawn(note(ring, lock, {90, 5}, Mode::shared, notes, 'c'));       // after b, which came before
  ring.spawn(note(ring, lock, {0, 50}, Mode::shared, notes, 'd'));       // beside it
  ring.spawn(note(ring, lock, {100, 9}, Mode::shared, notes, 'e'));      // after b
  ring.spawn(note(ring, lock, {200, 9}, Mode::exclusive, notes, 'f'));   // elsewhere
  notes += '.';
}

struct Counters {
  RangeLock lock;
  std::array<int, 64> cells{};
  std::atomic<unsigned> rounds{0};
};

Task<void> add_up(Ring& ring, Counters& counters, unsigned seed) {
  for (unsigned i = 0; i < 300; ++i) {
    const uint64_t at = (seed * 7 + i * 13) % 60;
    const auto hold = co_await counters.lock.lock(ring, {at, 4}, Mode::exclusive);
    for (uint64_t k = 0; k < 4; ++k) ++counters.cells[at + k];
    co_await ring.next_turn();
    for (uint64_t k = 0; k < 4; ++k) ++counters.cells[at + k];
    ++counters.rounds;
  }
}

}  // namespace

class RangeLockTest : public QObject {
  Q_OBJECT

 private slots:
  void whoComesFirstIsServedFirst() {
    auto ring = Ring::create(RingKind::immediate);
    RangeLock lock;
    std::string notes;
    (*ring)->spawn(hold_first(**ring, lock, notes));
    (*ring)->run();
    QCOMPARE(notes.substr(0, notes.find('.')), std::string("adf"));
    QCOMPARE(notes.substr(notes.find('.')), std::string(".bce"));
  }

  void threadsExcludeEachOther() {
    Counters counters;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&counters, t] {
        auto ring = Ring::create(RingKind::immediate);
        for (unsigned k = 0; k < 3; ++k) (*ring)->spawn(add_up(**ring, counters, t * 3 + k));
        (*ring)->run();
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(counters.rounds.load(), 3600u);
    int sum = 0;
    for (const int cell : counters.cells) sum += cell;
    QCOMPARE(sum, 3600 * 8);
  }
};

QTEST_GUILESS_MAIN(RangeLockTest)
#include "range_lock_test.moc"
