// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/zero_joiner.h"

#include <QTest>

using namespace disklathe;

class ZeroJoinerTest : public QObject {
  Q_OBJECT

  using Ranges = std::vector<Range>;
  static Ranges report(ZeroJoiner& joiner, uint64_t index, Ranges ranges) {
    joiner.report(index, ranges);
    return ranges;
  }

 private slots:
  void partsOfOneHoleBecomeOne() {
    ZeroJoiner joiner;
    QCOMPARE(report(joiner, 0, {{50, 50}}), Ranges{});
    QCOMPARE(report(joiner, 1, {{100, 100}}), Ranges{});
    QCOMPARE(report(joiner, 2, {{200, 7}, {220, 5}}), (Ranges{{50, 157}}));
    QCOMPARE(joiner.rest(), (Range{220, 5}));
  }

  void aHoleThatEndsWithItsPieceIsWholeWhenTheNextHasNone() {
    ZeroJoiner joiner;
    QCOMPARE(report(joiner, 0, {{0, 100}}), Ranges{});
    QCOMPARE(report(joiner, 1, {}), (Ranges{{0, 100}}));
    QVERIFY(!joiner.rest());
  }

  void piecesMayComeInAnyOrder() {
    ZeroJoiner joiner;
    QCOMPARE(report(joiner, 2, {{200, 50}}), Ranges{});
    QCOMPARE(report(joiner, 1, {{100, 100}}), Ranges{});
    QCOMPARE(report(joiner, 0, {{10, 5}, {90, 10}}), (Ranges{{10, 5}}));
    QCOMPARE(report(joiner, 3, {}), (Ranges{{90, 160}}));
  }

  void holesInsideAPieceGoOn() {
    ZeroJoiner joiner;
    QCOMPARE(report(joiner, 0, {{1, 2}, {5, 6}, {20, 80}}), (Ranges{{1, 2}, {5, 6}}));
    QCOMPARE(joiner.rest(), (Range{20, 80}));
  }
};

QTEST_GUILESS_MAIN(ZeroJoinerTest)
#include "zero_joiner_test.moc"
