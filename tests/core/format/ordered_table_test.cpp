// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ordered_table.h"

#include <QTest>

#include "core/base/endian.h"
#include "tests/support/counting_device.h"
#include "tests/support/memory_device.h"

using namespace disklathe;

namespace {

constexpr uint32_t filler = 0xffffffff;
constexpr uint64_t host = 512, count = 100000;

uint32_t entry(test::MemoryDevice& file, uint64_t index) { return load_le<uint32_t>(file.content(), host + index * 4); }

}  // namespace

class OrderedTableTest : public QObject {
  Q_OBJECT

  test::MemoryDevice file_{host + count * 4};

 private slots:
  void fillsWhatWasNeverSet() {
    OrderedTable table(file_, {.host = host, .count = count, .filler = filler});
    for (const uint64_t index : {0u, 1u, 70000u, 99998u}) QVERIFY(table.set(index, static_cast<uint32_t>(index + 5)));
    QVERIFY(table.finish());
    for (uint64_t index = 0; index < count; ++index) {
      const bool set = index <= 1 || index == 70000 || index == 99998;
      QCOMPARE(entry(file_, index), set ? static_cast<uint32_t>(index + 5) : filler);
    }
  }

  void takesTheLastEntryAgain() {
    OrderedTable table(file_, {.host = host, .count = count, .filler = filler});
    for (uint64_t index = 0; index < count; ++index) {
      QVERIFY(table.set(index, 1));
      QVERIFY(table.set(index, static_cast<uint32_t>(index)));
    }
    QVERIFY(table.finish());
    for (uint64_t index = 0; index < count; ++index) QCOMPARE(entry(file_, index), static_cast<uint32_t>(index));
  }

  void refusesWhatIsBehindOrOutside() {
    OrderedTable table(file_, {.host = host, .count = count, .filler = filler});
    QVERIFY(table.set(60000, 1));
    for (const uint64_t index : {uint64_t{0}, uint64_t{59999}, count})
      QCOMPARE(table.set(index, 1).error().kind, ErrorKind::invalid);
  }

  void leavesOutLongRunsThatAreThereAlready() {
    test::CountingDevice counting(file_);
    std::ranges::fill(file_.content(), std::byte{0});
    OrderedTable table(counting, {.host = host, .count = count, .filler = 0, .filled = true});
    QVERIFY(table.set(99999, 7));
    QVERIFY(table.finish());
    QCOMPARE(counting.bytes_written(), 4u);
    QCOMPARE(entry(file_, 99999), 7u);
  }
};

QTEST_GUILESS_MAIN(OrderedTableTest)
#include "ordered_table_test.moc"
