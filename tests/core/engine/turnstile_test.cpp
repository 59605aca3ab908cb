// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/turnstile.h"

#include <QTest>
#include <atomic>
#include <thread>

using namespace disklathe;

namespace {

struct Gate {
  Turnstile turnstile;
  std::atomic<uint64_t> next_ticket{0};
  std::vector<uint64_t> order;  // only touched by whoever is inside
  std::atomic<unsigned> turned_away{0};
};

Task<void> pass(Ring& ring, Gate& gate, uint64_t tickets) {
  for (uint64_t ticket; (ticket = gate.next_ticket++) < tickets;) {
    if (!co_await gate.turnstile.enter(ring, ticket)) {
      ++gate.turned_away;
      co_return;
    }
    gate.order.push_back(ticket);
    gate.turnstile.leave();
  }
}

Task<void> wait_for(Ring& ring, Gate& gate, uint64_t ticket) {
  if (!co_await gate.turnstile.enter(ring, ticket)) ++gate.turned_away;
}

void on_a_ring(RingKind kind, unsigned count, Gate& gate, uint64_t tickets) {
  auto ring = Ring::create(kind);
  for (unsigned i = 0; i < count; ++i) (*ring)->spawn(pass(**ring, gate, tickets));
  (*ring)->run();
}

}  // namespace

class TurnstileTest : public QObject {
  Q_OBJECT

 private slots:
  void threadsPassInTheOrderOfTheirTickets_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("immediate") << int(RingKind::immediate);
    QTest::newRow("automatic") << int(RingKind::automatic);
  }
  void threadsPassInTheOrderOfTheirTickets() {
    QFETCH(int, kind);
    Gate gate;
    constexpr uint64_t tickets = 5000;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { on_a_ring(static_cast<RingKind>(kind), 3, gate, tickets); });
    }
    QCOMPARE(gate.order.size(), tickets);
    QVERIFY(std::ranges::is_sorted(gate.order));
  }

  void abandoningTellsEverybodyWhoWaits() {
    Gate gate;
    auto ring = Ring::create(RingKind::immediate);
    for (uint64_t ticket : {3u, 1u, 2u}) (*ring)->spawn(wait_for(**ring, gate, ticket));
    std::jthread other([&] { gate.turnstile.abandon(); });
    (*ring)->run();
    QCOMPARE(gate.turned_away.load(), 3u);
  }
};

QTEST_GUILESS_MAIN(TurnstileTest)
#include "turnstile_test.moc"
