// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer_pool.h"

#include <QTest>
#include <atomic>
#include <thread>

using namespace disklathe;

namespace {

struct Watched {
  BufferPool pool{4096, 1, 10000};
  std::atomic<uint64_t> in_use{0}, most{0}, rounds{0};
};

Task<void> lease_some(Ring& ring, Watched& watched, uint64_t bytes, int times) {
  for (int i = 0; i < times; ++i) {
    auto lease = co_await watched.pool.lease(ring, bytes);
    const uint64_t now = watched.in_use += bytes;
    for (uint64_t most = watched.most; now > most && !watched.most.compare_exchange_weak(most, now);) {
    }
    std::ranges::fill(lease.buffer().bytes(), std::byte{1});
    ++watched.rounds;
    watched.in_use -= bytes;
  }
}

void work(Watched& watched, uint64_t bytes) {
  auto ring = Ring::create(RingKind::immediate);
  for (int i = 0; i < 4; ++i) (*ring)->spawn(lease_some(**ring, watched, bytes, 500));
  (*ring)->run();
}

Task<void> remember_address(Ring& ring, BufferPool& pool, std::vector<std::byte*>& addresses) {
  for (int i = 0; i < 3; ++i) {
    auto lease = co_await pool.lease(ring, 100);
    addresses.push_back(lease.buffer().data());
  }
}

}  // namespace

class BufferPoolTest : public QObject {
  Q_OBJECT

 private slots:
  void bytesInFlightStayInsideTheBudgetAcrossThreads() {
    Watched watched;
    {
      std::vector<std::jthread> threads;
      for (uint64_t bytes : {1000u, 3000u, 4096u}) threads.emplace_back([&, bytes] { work(watched, bytes); });
    }
    QCOMPARE(watched.rounds.load(), 6000u);
    QVERIFY(watched.most <= 10000u);
  }

  void oneLeaseIsGivenHoweverSmallTheBudget() {
    BufferPool pool(4096, 1, 1);
    std::vector<std::byte*> addresses;
    auto ring = Ring::create(RingKind::immediate);
    (*ring)->spawn(remember_address(**ring, pool, addresses));
    (*ring)->spawn(remember_address(**ring, pool, addresses));
    (*ring)->run();
    QCOMPARE(addresses.size(), 6u);
  }

  void aReturnedBufferIsTheNextOneUsed() {
    BufferPool pool(4096, 1, 1 << 20);
    std::vector<std::byte*> addresses;
    auto ring = Ring::create(RingKind::immediate);
    (*ring)->spawn(remember_address(**ring, pool, addresses));
    (*ring)->run();
    QCOMPARE(addresses[1], addresses[0]);
    QCOMPARE(addresses[2], addresses[0]);
  }
};

QTEST_GUILESS_MAIN(BufferPoolTest)
#include "buffer_pool_test.moc"
