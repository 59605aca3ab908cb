// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer_pool.h"

#include <sys/mman.h>

#include <QTest>
#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

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

constexpr size_t page = 4096;

size_t resident_pages(const std::set<std::byte*>& buffers, size_t pages_each) {
  size_t resident = 0;
  for (std::byte* buffer : buffers) {
    std::vector<unsigned char> present(pages_each);
    if (mincore(buffer, pages_each * page, present.data()) != 0) return SIZE_MAX;
    resident += static_cast<size_t>(std::ranges::count_if(present, [](unsigned char one) { return (one & 1) != 0; }));
  }
  return resident;
}

// Leases of so many pages, held at the same time and filled with their number.
struct Held {
  std::vector<BufferPool::Lease> leases;
  size_t pages;

  bool intact() {
    for (size_t i = 0; i < leases.size(); ++i) {
      const auto as_filled = [i](std::byte one) { return one == std::byte(i + 1); };
      if (!std::ranges::all_of(leases[i].buffer().first(pages * page), as_filled)) return false;
    }
    return true;
  }
};

Task<void> hold(Ring& ring, BufferPool& pool, size_t count, Held& held, std::set<std::byte*>& buffers) {
  held.leases.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    held.leases.push_back(co_await pool.lease(ring, held.pages * page));
    std::ranges::fill(held.leases.back().buffer().first(held.pages * page), std::byte(i + 1));
    buffers.insert(held.leases.back().buffer().data());
  }
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

  void leasesOfOtherSizesTouchNoMoreMemoryThanTheBudget() {
    BufferPool pool(4 * page, 1, 12 * page);
    std::set<std::byte*> buffers;
    auto ring = Ring::create(RingKind::immediate);
    for (const auto& [count, pages] : {std::pair{8U, 1U}, {6U, 2U}, {3U, 4U}, {12U, 1U}, {3U, 4U}, {6U, 2U}}) {
      Held held{.leases = {}, .pages = pages};
      (*ring)->spawn(hold(**ring, pool, count, held, buffers));
      (*ring)->run();
      QCOMPARE(held.leases.size(), count);
      QVERIFY(held.intact());
      QVERIFY(resident_pages(buffers, 4) <= 12);
    }
  }

  void whatIsLeasedIsKeptWhenOthersGiveMemoryBack() {
    BufferPool pool(4 * page, 1, 12 * page);
    std::set<std::byte*> buffers;
    auto ring = Ring::create(RingKind::immediate);
    Held large{.leases = {}, .pages = 4}, small{.leases = {}, .pages = 1}, more{.leases = {}, .pages = 1};
    const auto take = [&](size_t count, Held& held) {
      (*ring)->spawn(hold(**ring, pool, count, held, buffers));
      (*ring)->run();
    };
    take(3, large);
    large.leases.pop_back();
    take(1, small);  // in the buffer just returned
    take(3, more);   // in new ones: what is behind the first page of that one has to go
    QCOMPARE(resident_pages(buffers, 4), 12U);
    QVERIFY(large.intact());
    QVERIFY(small.intact());
    QVERIFY(more.intact());
  }
};

QTEST_GUILESS_MAIN(BufferPoolTest)
#include "buffer_pool_test.moc"
