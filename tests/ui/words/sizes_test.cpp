// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui
#include "ui/words/sizes.h"

#include <QTest>

using disklathe::ui::Sizes;
using namespace Qt::StringLiterals;

class SizesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void devicesAreInPowersOf1000() {
    QCOMPARE(Sizes::decimal(0), u"0\u00a0B"_s);
    QCOMPARE(Sizes::decimal(999), u"999\u00a0B"_s);
    QCOMPARE(Sizes::decimal(64'424'509'440), u"64.4\u00a0GB"_s);
    QCOMPARE(Sizes::decimal(1'000'204'886'016), u"1.00\u00a0TB"_s);
  }
  void roundingUpReachesTheNextUnit() { QCOMPARE(Sizes::decimal(999'960'000'000), u"1.00\u00a0TB"_s); }
  void limitsAreInPowersOf1024() {
    QCOMPARE(Sizes::binary(512), u"512\u00a0B"_s);
    QCOMPARE(Sizes::binary(4096), u"4\u00a0KiB"_s);
    QCOMPARE(Sizes::binary(1536), u"1.5\u00a0KiB"_s);
    QCOMPARE(Sizes::binary(1 << 20), u"1\u00a0MiB"_s);
    QCOMPARE(Sizes::binary(uint64_t{5} << 38), u"1.25\u00a0TiB"_s);
    QCOMPARE(Sizes::binary(uint64_t{9} << 37), u"1.125\u00a0TiB"_s);
  }
  void whatIsNotRoundIsSaidExactly() { QCOMPARE(Sizes::binary(33'553'920), u"33,553,920\u00a0B"_s); }
  void theLargestSizesAreSaid() {
    QCOMPARE(Sizes::binary(uint64_t{8} << 60), u"8\u00a0EiB"_s);
    QVERIFY(Sizes::decimal(UINT64_MAX).endsWith(u"EB"));
  }
  void aHundredPercentIsOnlyTheEnd() {
    QCOMPARE(Sizes::percent(0.9999), u"99\u00a0%"_s);
    QCOMPARE(Sizes::percent(1), u"100\u00a0%"_s);
  }
  void timeLeftIsARange() {
    QCOMPARE(Sizes::time_left(250, 290), u"4–5\u00a0min"_s);
    QCOMPARE(Sizes::time_left(300, 300), u"5–6\u00a0min"_s);
    QVERIFY(Sizes::time_left(3, 8).startsWith(u"under"));
  }
  void wholeMinutesHaveNoSeconds() {
    QCOMPARE(Sizes::duration(2100), u"35\u00a0min"_s);
    QCOMPARE(Sizes::duration(292), u"4\u00a0min 52\u00a0s"_s);
    QCOMPARE(Sizes::duration(7200), u"2\u00a0h"_s);
  }
  void offsetsAreGrouped() { QCOMPARE(Sizes::hex(0xC0000000), u"0xC000_0000"_s); }
  void whatIsShownCanBeTyped_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<qulonglong>("bytes");
    QTest::newRow("binary") << u"10 MiB"_s << 10ULL * 1024 * 1024;
    QTest::newRow("no-break") << u"4\u00a0KiB"_s << 4096ULL;
    QTest::newRow("letter") << u"64k"_s << 65536ULL;
    QTest::newRow("bytes") << u"512"_s << 512ULL;
    QTest::newRow("grouped") << u"33,553,920 B"_s << 33'553'920ULL;
    QTest::newRow("fraction") << u"1.5 MiB"_s << 1536ULL * 1024;
  }
  void whatIsShownCanBeTyped() {
    QFETCH(QString, text);
    QFETCH(qulonglong, bytes);
    const auto parsed = Sizes::parse(text);
    QVERIFY(parsed);
    QCOMPARE(static_cast<qulonglong>(*parsed), bytes);
  }
  void nonsenseIsNoSize() {
    for (const QString& text : {u""_s, u"MiB"_s, u"12 apples"_s, u"-5"_s, u"1.0001 B"_s, u"99999999 TiB"_s})
      QVERIFY2(!Sizes::parse(text), qPrintable(text));
  }
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
