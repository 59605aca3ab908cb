// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/latency_histogram.h"

#include <QTest>

using disklathe::LatencyHistogram;
using Time = LatencyHistogram::Time;

class LatencyHistogramTest : public QObject {
  Q_OBJECT

 private slots:
  void smallTimesAreExact() {
    LatencyHistogram latencies;
    for (int i = 1; i <= 100; ++i) latencies.add(Time(i));
    QCOMPARE(latencies.percentile(0.50), Time(50));
    QCOMPARE(latencies.percentile(0.99), Time(99));
    QCOMPARE(latencies.percentile(1), Time(100));
  }

  void anyTimeIsWithinTwoPercent() {
    for (int64_t time = 1; time < int64_t{1} << 43; time = time * 5 / 3 + 1) {
      LatencyHistogram latencies;
      latencies.add(Time(time));
      const auto found = latencies.percentile(0.5).count();
      QVERIFY2(found >= time && static_cast<double>(found) <= static_cast<double>(time) * 1.0157,
               qPrintable(QString("%1 -> %2").arg(time).arg(found)));
    }
  }

  void aFewSlowOnesShowOnlyInTheHighPercentiles() {
    LatencyHistogram latencies;
    for (int i = 0; i < 980; ++i) latencies.add(Time(1000));
    for (int i = 0; i < 20; ++i) latencies.add(Time(1000000));
    QVERIFY(latencies.percentile(0.50) < Time(1020));
    QVERIFY(latencies.percentile(0.99) >= Time(1000000));
  }

  void noneAndTheImpossibleDoNoHarm() {
    LatencyHistogram latencies;
    QCOMPARE(latencies.percentile(0.5), Time(0));
    latencies.add(Time(-5));
    QCOMPARE(latencies.percentile(0.5), Time(0));
    latencies.add(Time::max());
    QVERIFY(latencies.percentile(1) > std::chrono::hours(4));
    QCOMPARE(latencies.count(), 2U);
  }
};

QTEST_GUILESS_MAIN(LatencyHistogramTest)
#include "latency_histogram_test.moc"
