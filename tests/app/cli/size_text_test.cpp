// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/size_text.h"

#include <QtTest>
#include <cmath>

using namespace disklathe::cli;

class SizeTextTest : public QObject {
  Q_OBJECT
 private slots:
  void a_number_alone_is_bytes() {
    QCOMPARE(parse_size("0"), 0U);
    QCOMPARE(parse_size("1000"), 1000U);
    QCOMPARE(parse_size("7b"), 7U);
    QCOMPARE(parse_size("0x100000"), 1048576U);
  }
  void units_are_powers_of_1024_with_and_without_the_i() {
    QCOMPARE(parse_size("64k"), 65536U);
    QCOMPARE(parse_size("64K"), 65536U);
    QCOMPARE(parse_size("3M"), 3U << 20);
    QCOMPARE(parse_size("1Gi"), 1U << 30);
    QCOMPARE(parse_size("2TiB"), uint64_t{2} << 40);
    QCOMPARE(parse_size("1P"), uint64_t{1} << 50);
    QCOMPARE(parse_size("7E"), uint64_t{7} << 60);
  }
  void fractions_are_exact_to_the_byte() {
    QCOMPARE(parse_size("1.5G"), uint64_t{3} << 29);
    QCOMPARE(parse_size("0.1K"), 102U);
    QCOMPARE(parse_size("0.999999999999999999E"), (uint64_t{1} << 60) - 1);
    QCOMPARE(parse_size("1.0000000000000000000000000001M"), 1048576U);
  }
  void the_largest_size_is_one_below_8E() {
    QCOMPARE(parse_size("9223372036854775807"), max_size);
    QVERIFY(!parse_size("8E"));
    QVERIFY(!parse_size("18446744073709551616"));
    QVERIFY(!parse_size("99999999E"));
  }
  void what_is_no_size_is_refused() {
    for (const char* text : {"", "k", "1X", "-1", "+1", "1 k", "1kB", "1KK", "1.k", ".5k", "1.5", "1.5b", "0x", "0x1k",
                             "1e3", "1Ki B", "GiB", "1,5G"})
      QVERIFY2(!parse_size(text), text);
  }
  void sizes_are_shown_with_three_digits() {
    QCOMPARE(human_size(0), "0 B");
    QCOMPARE(human_size(999), "999 B");
    QCOMPARE(human_size(1000), "0.977 KiB");
    QCOMPARE(human_size(1536), "1.5 KiB");
    QCOMPARE(human_size(524800), "512 KiB");
    QCOMPARE(human_size(1048063), "1 MiB");
    QCOMPARE(human_size(UINT64_MAX), "16 EiB");
    QCOMPARE(exact_size(3145728), "3 MiB (3145728 bytes)");
  }
  void an_unknown_rate_is_a_dash() {
    QCOMPARE(human_rate(0), "-");
    QCOMPARE(human_rate(std::nan("")), "-");
    QCOMPARE(human_rate(1048576), "1 MiB/s");
  }
  void durations_are_rounded_up_to_seconds() {
    QCOMPARE(human_duration(6.2), "0:07");
    QCOMPARE(human_duration(754), "12:34");
    QCOMPARE(human_duration(10921), "3:02:01");
    QCOMPARE(human_duration(-1), "0:00");
  }
};

QTEST_GUILESS_MAIN(SizeTextTest)
#include "size_text_test.moc"
