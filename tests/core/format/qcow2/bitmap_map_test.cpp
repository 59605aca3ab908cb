// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/bitmap_map.h"

#include <QTest>

#include "core/format/qcow2/header.h"
#include "tests/support/memory_device.h"
#include "tests/support/qcow2_image.h"

using namespace disklathe;
using namespace disklathe::qcow2;

namespace {

constexpr uint64_t cluster = 512, granularity = 1024, span = cluster * 8 * granularity;
constexpr uint64_t table = 5 * cluster, data = 6 * cluster;

// A disk of two and a half clusters of bitmap data: the first is in the file, the second is all ones, the third zeroes.
test::Qcow2Image image() {
  Header header;
  header.cluster_bits = 9;
  header.size = 2 * span + span / 2;
  // The L1 table takes more than its one cluster, which does no harm: nothing is mapped.
  header.l1_size = 1;
  test::Qcow2Image made(8, header);
  made.set<uint64_t>(table, data);
  made.set<uint64_t>(table + 8, 1);
  made.bytes[data] = std::byte{0b101};
  made.bytes[data + 1] = std::byte{0x80};
  return made;
}

const Bitmap bitmap{.name = "b", .granularity = granularity, .table_offset = table, .table_entries = 3};

struct Runs {
  Result<void> walked;
  std::vector<BitmapRun> runs;
};
Runs walk(const test::Qcow2Image& made, Range want) {
  test::MemoryDevice file(made.bytes);
  auto map = BitmapMap::create(made.header, bitmap, file,
                               std::make_shared<StoredTables>(file, std::make_shared<TableCache>(1 << 20)));
  Runs found;
  if (!map) return {failure(map), {}};
  for (uint64_t at = want.at; at < want.end(); at = found.runs.back().guest.end()) {
    found.walked = map->walk(Range::between(at, want.end()), found.runs);
    if (!found.walked) break;
  }
  return found;
}

void expect(const std::vector<BitmapRun>& runs, const std::vector<std::pair<uint64_t, bool>>& expected) {
  QCOMPARE(runs.size(), expected.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    QCOMPARE(runs[i].guest.length, expected[i].first);
    QCOMPARE(runs[i].set, expected[i].second);
  }
}

}  // namespace

class BitmapMapTest : public QObject {
  Q_OBJECT

 private slots:
  void theLeastSignificantBitComesFirst() {
    expect(walk(image(), {0, 20 * granularity}).runs, {{granularity, true},
                                                       {granularity, false},
                                                       {granularity, true},
                                                       {12 * granularity, false},
                                                       {granularity, true},
                                                       {4 * granularity, false}});
  }

  void aRangeMayBeginAndEndInsideAGranule() {
    expect(walk(image(), {granularity / 2, 2 * granularity}).runs,
           {{granularity / 2, true}, {granularity, false}, {granularity / 2, true}});
  }

  void clustersWithoutDataAreAllOnesOrAllZeroes() {
    expect(walk(image(), {span - granularity, span + span / 2 + granularity}).runs,
           {{granularity, false}, {span, true}, {span / 2, false}});
  }

  void aTableThatIsNoneForTheDiskIsRefused() {
    auto made = image();
    made.header.size = 3 * span + 1;
    QCOMPARE(walk(made, {0, 1}).walked.error().kind, ErrorKind::corrupt);
  }

  void entriesThatLeadNowhereAreErrors() {
    for (const uint64_t entry : {uint64_t{data + 8}, uint64_t{100 * cluster}, uint64_t{data | uint64_t{1} << 60},
                                 uint64_t{data | 1}, uint64_t{256}}) {
      auto made = image();
      made.set<uint64_t>(table, entry);
      const auto walked = walk(made, {0, granularity}).walked;
      QVERIFY(!walked && walked.error().kind == ErrorKind::corrupt);
    }
  }
};

QTEST_GUILESS_MAIN(BitmapMapTest)
#include "bitmap_map_test.moc"
