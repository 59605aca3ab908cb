// SPDX-License-Identifier: GPL-3.0-or-later
// LABELS: slow
// TIMEOUT: 900
//
// Copies onto devices that cost simulated time: against the best that could have been done knowing the prices. Two
// numbers a cell: of the best strategy that writes each byte once, which is what is promised (docs/adr/0012), and with
// zeroing the whole target first among the strategies, which writes data twice.
#include <QTest>

#include "tests/support/priced_copy.h"

using namespace disklathe;
using namespace disklathe::test;

namespace {

constexpr uint64_t kibi = 1 << 10, mebi = 1 << 20;

}  // namespace

class ZeroGridTest : public QObject {
  Q_OBJECT

 private slots:
  void neverFarFromTheBestFixedStrategy_data() {
    QTest::addColumn<double>("times");
    QTest::addColumn<quint64>("hole");
    QTest::addColumn<double>("share");
    QTest::addColumn<bool>("fixed");  // requests cost a time each as well
    for (const bool fixed : {true, false}) {
      for (const double times : fixed ? std::vector{0.5, 1.0, 10.0, 100.0} : std::vector{1.0, 100.0}) {
        for (const quint64 hole : {4 * kibi, 64 * kibi, mebi, 16 * mebi}) {
          for (const double share : {0.05, 0.5, 0.95}) {
            QTest::addRow("zeroing %g times as fast, holes of %g KiB, %g %% data%s", times,
                          static_cast<double>(hole) / kibi, share * 100, fixed ? "" : ", no fixed costs")
                << times << hole << share << fixed;
          }
        }
      }
    }
  }
  void neverFarFromTheBestFixedStrategy() {
    QFETCH(double, times);
    QFETCH(bool, fixed);
    QFETCH(quint64, hole);
    QFETCH(double, share);
    const Layout disk = layout(hole, share);
    PricedDevice target(disk.size, disk.block, costs(times, fixed));
    const Outcome outcome = copy_onto(target, disk);
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    const Fixed others = fixed_strategies(disk, target.costs());
    const double once = outcome.seconds / others.best();
    const double any = outcome.seconds / std::min(others.best(), others.pre_zero);
    qInfo("%.4f s: %.4f of the best that writes once, %.4f with zeroing first among them; %zu commands",
          outcome.seconds, once, any, target.commands());
    worst_once_ = std::max(worst_once_, once);
    worst_any_ = std::max(worst_any_, any);
    within_any_ += any <= 1.05;
    ++cells_;
    QVERIFY2(once <= 1.05, qPrintable(QString("%1 of the best").arg(once)));
    // Where a command costs nothing by itself zeroing first gains nothing.
    if (!fixed) QVERIFY2(any <= 1.05, qPrintable(QString("%1 of the best").arg(any)));
  }

  void bothNumbersOfTheWholeGrid() {
    qInfo(
        "%d cells: at most %.4f of the best that writes once; at most %.4f with zeroing first, %d of them within 1.05",
        cells_, worst_once_, worst_any_, within_any_);
    if (cells_ < 72) QSKIP("only a part of the grid was run");
    QVERIFY(worst_any_ <= 4.3);  // docs/adr/0012
  }

 private:
  double worst_once_ = 0, worst_any_ = 0;
  int cells_ = 0, within_any_ = 0;
};

QTEST_GUILESS_MAIN(ZeroGridTest)
#include "zero_grid_test.moc"
