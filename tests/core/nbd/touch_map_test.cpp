// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/touch_map.h"

#include <QTest>

using namespace disklathe;
using namespace disklathe::nbd;

class TouchMapTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t mib = 1 << 20;

 private slots:
  void nothingIsTouchedAtFirst() {
    TouchMap map;
    map.cover(mib);
    QVERIFY(map.ranges().empty());
  }

  void smallDisksAreSeenByPages() {
    TouchMap map;
    map.cover(mib + 1);
    map.mark({5000, 1});
    map.mark({mib, 1});
    QCOMPARE(map.ranges(), (std::vector<Range>{{4096, 4096}, {mib, 1}}));
  }

  void neighboursBecomeOne() {
    TouchMap map;
    map.cover(4 * mib);
    map.mark({8192, 4096});
    map.mark({0, 8193});
    map.mark({2 * mib, mib});
    QCOMPARE(map.ranges(), (std::vector<Range>{{0, 12288}, {2 * mib, mib}}));
  }

  void anySizeHasAThousandParts() {
    for (const uint64_t size : std::initializer_list<uint64_t>{4 * mib + 1, 1ULL << 40, (1ULL << 62) + 12345}) {
      TouchMap map;
      map.cover(size);
      map.mark({size - 1, 1});
      const auto ranges = map.ranges();
      QCOMPARE(ranges.size(), 1u);
      QCOMPARE(ranges[0].end(), size);
      QVERIFY(ranges[0].length <= size / (TouchMap::most_parts / 2));
      map.mark({0, size});
      QCOMPARE(map.ranges(), (std::vector<Range>{{0, size}}));
    }
  }

  void everyPartCanBeMarkedAlone() {
    for (uint64_t part = 0; part < TouchMap::most_parts; ++part) {
      TouchMap map;
      map.cover(4 * mib);
      map.mark({part << 12, 4096});
      QCOMPARE(map.ranges(), (std::vector<Range>{{part << 12, 4096}}));
    }
  }

  void whatIsOutsideIsNothing() {
    TouchMap map;
    map.mark({0, 1});
    map.cover(mib);
    map.mark({mib, 4096});
    map.mark({mib - 1, 2});
    map.mark({0, 0});
    QVERIFY(map.ranges().empty());
  }
};

QTEST_GUILESS_MAIN(TouchMapTest)
#include "touch_map_test.moc"
