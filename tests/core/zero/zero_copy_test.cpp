// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies onto devices that cost simulated time: against the best that could have been done knowing the prices.
#include <QTest>

#include "tests/support/priced_copy.h"

using namespace disklathe;
using namespace disklathe::test;

namespace {

constexpr uint64_t mebi = 1 << 20, gibi = 1 << 30;

}  // namespace

class ZeroCopyTest : public QObject {
  Q_OBJECT

 private slots:
  // Mail of 2020 that ended QEMU's zeroing of the whole target first. Prices from the two times of each row:
  // pre-zeroing S/R + D/W, interleaved (S-D)/R + D/W.
  void theResultOf2020IsReproduced_data() {
    QTest::addColumn<double>("size");  // GiB
    QTest::addColumn<double>("data");
    QTest::addColumn<double>("pre_zeroed");  // s
    QTest::addColumn<double>("interleaved");
    QTest::newRow("10 G with 8 G of data") << 10. << 8. << 80.5 << 55.8;
    QTest::newRow("100 G with 48 G of data") << 100. << 48. << 122.3 << 102.1;
  }
  void theResultOf2020IsReproduced() {
    QFETCH(double, size);
    QFETCH(double, data);
    QFETCH(double, pre_zeroed);
    QFETCH(double, interleaved);
    const double zero_per_gibi = (pre_zeroed - interleaved) / data;
    const double write_per_gibi = (pre_zeroed - size * zero_per_gibi) / data;
    const Costs prices{.write_fixed = 20e-6,
                       .write_per_byte = write_per_gibi / gibi,
                       .zero_fixed = 100e-6,
                       .zero_per_byte = zero_per_gibi / gibi};
    const Layout disk{.size = static_cast<uint64_t>(size) * gibi,
                      .data = static_cast<uint64_t>(data / size * 200) * mebi,
                      .hole = static_cast<uint64_t>((size - data) / size * 200) * mebi};
    PricedDevice target(disk.size, disk.block, prices);
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    const double simulated_pre_zero = fixed_strategies(disk, prices).pre_zero;
    if (qEnvironmentVariableIsSet("GRID")) qInfo("pre-zero %.2f s, ours %.2f s", simulated_pre_zero, outcome.seconds);
    QVERIFY(std::abs(simulated_pre_zero / pre_zeroed - 1) < 0.02);
    QVERIFY(std::abs(outcome.seconds / interleaved - 1) < 0.02);
  }

  // Of the grid in zero_grid_test, which is slow.
  void neverFarFromTheBestFixedStrategy_data() {
    QTest::addColumn<double>("times");
    QTest::addColumn<quint64>("hole");
    QTest::addColumn<double>("share");
    QTest::newRow("slow") << 0.5 << quint64{16 * mebi} << 0.5;
    QTest::newRow("equal") << 1. << quint64{mebi} << 0.05;
    QTest::newRow("fast, small holes") << 10. << quint64{gibi >> 18} << 0.5;
    QTest::newRow("fast, large holes") << 100. << quint64{16 * mebi} << 0.05;
  }
  void neverFarFromTheBestFixedStrategy() {
    QFETCH(double, times);
    QFETCH(quint64, hole);
    QFETCH(double, share);
    const Layout disk = layout(hole, share);
    PricedDevice target(disk.size, disk.block, costs(times));
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    const double ratio = outcome.seconds / fixed_strategies(disk, target.costs()).best();
    QVERIFY2(ratio <= 1.05, qPrintable(QString("%1 of the best").arg(ratio)));
  }

  // Nobody knows of them before they are read, and they end where pieces do.
  void storedZeroesAreAsCheapAsHoles_data() {
    QTest::addColumn<double>("times");
    for (const double times : {1.0, 100.0}) QTest::addRow("%g", times) << times;
  }
  void storedZeroesAreAsCheapAsHoles() {
    QFETCH(double, times);
    Layout disk = layout(16 * mebi, 0.5, true);
    disk.size = gibi;
    PricedDevice target(disk.size, disk.block, costs(times));
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    const double ratio = outcome.seconds / fixed_strategies(disk, target.costs()).best();
    QVERIFY2(ratio <= 1.05, qPrintable(QString("%1 of the best").arg(ratio)));
  }

  void refusalsAreRemembered() {
    Layout disk = layout(mebi, 0.5);
    disk.size = gibi;
    Costs prices = costs(100);
    prices.refused = {ZeroMethod::punch};
    PricedDevice second(disk.size, disk.block, prices);
    Outcome outcome = copy_onto(second, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    QCOMPARE(second.refusals(), 1u);
    QVERIFY(second.commands() > 100);

    prices.refused = {ZeroMethod::punch, ZeroMethod::write_zeroes};
    PricedDevice none(disk.size, disk.block, prices);
    outcome = copy_onto(none, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    QCOMPARE(none.refusals(), 2u);
    QVERIFY(outcome.seconds <= 1.02 * fixed_strategies(disk, prices).buffers);
  }

  // A stick: no command, reads ten times as fast as it writes, and its second half was zeroed by somebody.
  void whatReadsAsZeroIsNotWritten() {
    const Layout disk = layout(64 * mebi, 0.2);
    Costs prices = costs(1);
    prices.read_per_byte = prices.write_per_byte / 10;
    prices.refused = {ZeroMethod::punch, ZeroMethod::write_zeroes};
    PricedDevice target(disk.size, disk.block, prices);
    target.was_zero_from(disk.size / 2);
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    const auto size = static_cast<double>(disk.size);
    const double least = (0.5 + 0.5 * 0.2 + 0.5 * 0.8 / 10) * size * prices.write_per_byte;
    QVERIFY2(outcome.seconds < 1.05 * least, qPrintable(QString("%1 of %2").arg(outcome.seconds).arg(least)));
  }

  void aDeviceThatUnmapsAndPromisesZeroesIsAskedForThat() {
    Layout disk = layout(mebi, 0.5);
    disk.size = 64 * mebi;
    Costs prices = costs(100);
    prices.refused = {ZeroMethod::punch};
    PricedDevice target(disk.size, disk.block, prices);
    target.limits_to_change().max_write_zeroes_unmap = {.value = gibi, .source = LimitSource::sysfs};
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    QCOMPARE(target.refusals(), 0u);
  }

  // Of an empty disk 100 GiB is one hole: 44 s of zeroing, in commands that leave room for a stop.
  void aLongHoleIsMadeInSteps() {
    const Layout disk{.size = 100 * gibi, .block = 1 * mebi, .data = mebi, .hole = 200 * gibi};
    PricedDevice target(disk.size, disk.block, costs(5));
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    QVERIFY(target.commands() > 700);
    QVERIFY(outcome.seconds < 1.01 * static_cast<double>(disk.size) / (5 * write_rate));
  }
};

QTEST_GUILESS_MAIN(ZeroCopyTest)
#include "zero_copy_test.moc"
