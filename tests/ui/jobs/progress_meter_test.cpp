// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui
#include "ui/jobs/progress_meter.h"

#include <QTest>

using namespace disklathe;
using namespace disklathe::ui;

namespace {

constexpr uint64_t mb = 1'000'000;

job::Reading reading(Phase phase, uint64_t written, uint64_t skipped, uint64_t verified) {
  return {.phase = phase, .total = 100 * mb, .completed = written, .skipped = skipped, .verified = verified};
}

// 40 MB written in a second, 60 MB of holes passed over in another, flushed between two looks, read back in two.
ProgressMeter sample() {
  ProgressMeter meter;
  meter.take(reading(Phase::prepare, 0, 0, 0), 0);
  meter.take(reading(Phase::write, 0, 0, 0), 0.5);
  meter.take(reading(Phase::write, 40 * mb, 0, 0), 1.5);
  meter.take(reading(Phase::write, 40 * mb, 50 * mb, 0), 2.25);
  meter.take(reading(Phase::verify, 40 * mb, 60 * mb, 0), 2.5);
  meter.take(reading(Phase::verify, 40 * mb, 60 * mb, 50 * mb), 3.5);
  meter.take(reading(Phase::flush, 40 * mb, 60 * mb, 100 * mb), 4.5);
  meter.end(4.75);
  return meter;
}

}  // namespace

class ProgressMeterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void phasesLastTogetherAsLongAsTheJob() {
    const ProgressMeter meter = sample();
    QCOMPARE(meter.took(Phase::prepare), std::optional(0.5));
    QCOMPARE(meter.took(Phase::write), std::optional(2.0));
    QCOMPARE(meter.took(Phase::flush), std::optional(0.0));  // over between two looks; not the flush at the end
    QCOMPARE(meter.took(Phase::verify), std::optional(2.25));
  }
  void aPhaseThatIsNotOverHasNoTimeYet() {
    ProgressMeter meter;
    meter.take(reading(Phase::write, mb, 0, 0), 1);
    QVERIFY(!meter.took(Phase::write));
    QVERIFY(!meter.took(Phase::prepare));  // before this began to look
  }
  void bothCurvesGoToTheEnd() {
    const ProgressMeter meter = sample();
    for (const RateSeries& series : {meter.writing(), meter.verifying()}) {
      QVERIFY(!series.rates.isEmpty());
      QVERIFY(!series.rates.contains(RateSeries::not_there_yet));
    }
  }
  void holesThatArePassedOverAreNoBytesWritten() {
    const auto rates = sample().writing().rates;
    QCOMPARE(rates.at(rates.size() / 4), 40e6);
    QCOMPARE(rates.at(rates.size() * 3 / 4), 0.0);
  }
  void zeroesAreTheWorkOfZeroing() {
    ProgressMeter meter(true);
    meter.take({.phase = Phase::write, .total = 100 * mb}, 0);
    const JobProgress progress = meter.take({.phase = Phase::write, .total = 100 * mb, .zeroed = 50 * mb}, 1);
    QCOMPARE(progress.rate_now, 50e6);
    QCOMPARE(meter.writing().rates.first(), 50e6);
  }
  // A kept job that is met on its way.
  void whatWasDoneBeforeTheFirstLookHasNoRate() {
    ProgressMeter meter;
    meter.take(reading(Phase::write, 50 * mb, 0, 0), 0.01);
    QVERIFY(meter.writing().rates.isEmpty());
    meter.take(reading(Phase::write, 60 * mb, 0, 0), 1.01);
    QCOMPARE(meter.writing().rates.first(), RateSeries::not_there_yet);
  }
  // Its worker knows since when.
  void itsTimesAndAveragesAreThoseOfTheWholeJob() {
    ProgressMeter meter;
    meter.resume({{Phase::prepare, 0}, {Phase::write, 500'000'000}});
    const JobProgress met = meter.take(reading(Phase::write, 50 * mb, 0, 0), 1.5);
    QCOMPARE(met.rate_average, 50e6);
    QVERIFY(meter.writing().rates.isEmpty());
    meter.take(reading(Phase::verify, 100 * mb, 0, 0), 2.5);
    meter.take(reading(Phase::flush, 100 * mb, 0, 100 * mb), 4);
    meter.end(4.5);
    QCOMPARE(meter.took(Phase::prepare), std::optional(0.5));
    QCOMPARE(meter.took(Phase::write), std::optional(2.0));
    QCOMPARE(meter.took(Phase::verify), std::optional(2.0));
  }
  void oneThatHadEndedByThenHasItsTimesToo() {
    ProgressMeter meter;
    meter.resume({{Phase::write, 0}, {Phase::flush, 2'000'000'000}, {Phase::verify, 2'000'000'000}});
    meter.take(reading(Phase::flush, 100 * mb, 0, 100 * mb), 3);
    meter.end(3);
    QCOMPARE(meter.took(Phase::write), std::optional(2.0));
    QCOMPARE(meter.took(Phase::verify), std::optional(1.0));
  }
};

QTEST_GUILESS_MAIN(ProgressMeterTest)
#include "progress_meter_test.moc"
