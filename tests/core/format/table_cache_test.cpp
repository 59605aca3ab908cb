// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_cache.h"

#include <QTest>
#include <thread>

#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using test::CountingDevice;
using test::FaultyDevice;
using test::MemoryDevice;

namespace {

constexpr uint64_t slice = TableCache::slice_size;

// Each byte says which slice it is in.
std::vector<std::byte> numbered(size_t slices) {
  std::vector<std::byte> bytes(slices * slice);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / slice);
  return bytes;
}

}  // namespace

class TableCacheTest : public QObject {
  Q_OBJECT
 private slots:
  void reads_a_slice_once() {
    MemoryDevice memory(numbered(4));
    CountingDevice file(memory);
    TableCache cache(1 << 20);
    QCOMPARE((*cache.slice(file, slice))->front(), std::byte{1});
    QCOMPARE((*cache.slice(file, 2 * slice - 1))->front(), std::byte{1});
    QCOMPARE(file.reads(), (std::vector<Range>{{slice, slice}}));
  }

  void gives_a_short_slice_at_the_end() {
    MemoryDevice file(slice + 5);
    TableCache cache(1 << 20);
    QCOMPARE((*cache.slice(file, slice + 4))->size(), 5U);
  }

  void keeps_files_apart() {
    MemoryDevice a(numbered(2)), b(std::vector(2 * slice, std::byte{77}));
    TableCache cache(1 << 20);
    QCOMPARE((*cache.slice(a, slice))->front(), std::byte{1});
    QCOMPARE((*cache.slice(b, slice))->front(), std::byte{77});
  }

  void drops_what_was_not_used_for_longest() {
    MemoryDevice memory(numbered(4));
    CountingDevice file(memory);
    TableCache cache(3 * slice);
    for (const uint64_t index : {0U, 1U, 2U, 0U, 3U}) QVERIFY(cache.slice(file, index * slice).has_value());
    QCOMPARE(cache.bytes(), 3 * slice);
    file.forget();
    for (const uint64_t index : {0U, 2U, 3U}) QVERIFY(cache.slice(file, index * slice).has_value());
    QVERIFY(file.reads().empty());
    QVERIFY(cache.slice(file, slice).has_value());
    QCOMPARE(file.reads().size(), 1U);
  }

  void keeps_a_dropped_slice_for_who_holds_it() {
    MemoryDevice file(numbered(3));
    TableCache cache(slice);
    const auto held = *cache.slice(file, slice);
    QVERIFY(cache.slice(file, 2 * slice).has_value());
    QCOMPARE(held->back(), std::byte{1});
  }

  void keeps_nothing_of_a_failed_read() {
    MemoryDevice memory(numbered(1));
    FaultyDevice file(memory);
    file.fail_read(1, EIO);
    TableCache cache(1 << 20);
    QCOMPARE(cache.slice(file, 0).error().os_error, EIO);
    QVERIFY(cache.slice(file, 0).has_value());
  }

  void serves_many_threads() {
    MemoryDevice file(numbered(64));
    TableCache cache(8 * slice);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (uint64_t i = 0; i < 2000; ++i) {
          const uint64_t index = (i * 7 + thread * 13) % 64;
          const auto got = cache.slice(file, index * slice);
          if (!got || (*got)->front() != static_cast<std::byte>(index)) ++wrong;
        }
      });
    }
    threads.clear();
    QCOMPARE(wrong.load(), 0);
    QVERIFY(cache.bytes() <= 8 * slice);
  }
};

QTEST_GUILESS_MAIN(TableCacheTest)
#include "table_cache_test.moc"
