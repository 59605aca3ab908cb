// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/zero_ranges.h"

#include <QTest>

using namespace disklathe;
using cli::parse_ranges;

class ZeroRangesTest : public QObject {
  Q_OBJECT

  using Ranges = std::vector<Range>;

 private slots:
  void withoutARangeItIsAll() { QCOMPARE(*parse_ranges({}, 77), (Ranges{{0, 77}})); }

  void rangesComeOutInOrderAndApart() {
    QCOMPARE(*parse_ranges({"1M+1k", "10+5", "15+5", "12+2", "64+1"}, 2 << 20),
             (Ranges{{10, 10}, {64, 1}, {1 << 20, 1 << 10}}));
  }

  void upToTheLastByteAndNoFurther() {
    QCOMPARE(*parse_ranges({"96+4"}, 100), (Ranges{{96, 4}}));
    for (const char* word : {"96+5", "100+1", "101+1", "5+9223372036854775807"}) QVERIFY(!parse_ranges({word}, 100));
  }

  void whatIsNoRangeIsRefused() {
    for (const char* word : {"", "5", "+", "5+", "+5", "0+0", "a+b", "1+2+3", "-1+5", "0x+1"}) {
      const auto ranges = parse_ranges({word}, 1000);
      QVERIFY2(!ranges && ranges.error().kind == ErrorKind::invalid, word);
    }
  }
};

QTEST_GUILESS_MAIN(ZeroRangesTest)
#include "zero_ranges_test.moc"
