// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/cost_model.h"

#include <QTest>
#include <cmath>

using namespace disklathe;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kibi = 1 << 10, mebi = 1 << 20, gibi = 1 << 30;
constexpr double W = 445e6;   // bytes a second
constexpr double t = 100e-6;  // seconds

// A model with the device it is measured on: does what next() says, one thing after the other.
struct Simulation {
  explicit Simulation(double zero_rate, ZeroCostModel::Rule rule = ZeroCostModel::Rule::by_price)
      : R(zero_rate), model(rule) {}

  void write(uint64_t length) {
    const Clock::Time begun = now;
    now += Clock::Time(static_cast<int64_t>(1e9 * static_cast<double>(length) / W));
    model.wrote(length, begun, now);
  }
  void step(uint64_t length) {
    last = model.next(length, now);
    if (!last.command) return write(last.length);
    ++commands;
    const Clock::Time begun = now;
    now += Clock::Time(static_cast<int64_t>(1e9 * (t + static_cast<double>(last.length) / R)));
    model.commanded(last, begun, now);
  }
  void zero(uint64_t length) {
    while (length > 0) {
      step(length);
      length -= last.length;
    }
  }
  double seconds() const { return std::chrono::duration<double>(now - 1s).count(); }

  const double R;
  ZeroCostModel model;
  Clock::Time now = 1s;
  ZeroCostModel::Step last;
  unsigned commands = 0;
};

}  // namespace

class CostModelTest : public QObject {
  Q_OBJECT

 private slots:
  void theFirstCommandIsShortAndMeasuredAlone() {
    Simulation device(10 * W);
    QCOMPARE(device.model.next(gibi, device.now), (ZeroCostModel::Step{true, true, mebi}));
    QCOMPARE(device.model.next(300 * kibi, device.now), (ZeroCostModel::Step{true, true, 300 * kibi}));
  }

  void commandsGrowByFours() {
    Simulation device(100 * W);
    device.write(mebi);
    for (const uint64_t length : {1, 4, 16, 64, 256}) {
      device.step(16 * gibi);
      QCOMPARE(device.last.length, length * mebi);
    }
  }

  // 80 commands a second of 640 KiB each: the kernel makes four commands of 2 MiB, three of 1920 KiB.
  void noCommandOfTheDevicesIsAskedForInPart() {
    constexpr uint64_t one = 640 * kibi;
    ZeroCostModel model(ZeroCostModel::Rule::by_price, one);
    Clock::Time now = 1s;
    model.wrote(mebi, now, now + 200ms);
    now += 200ms;
    uint64_t commands = 0;
    for (uint64_t left = 16 * mebi; left > 0;) {
      const ZeroCostModel::Step step = model.next(left, now);
      QVERIFY(step.command);
      const uint64_t made = (step.length + one - 1) / one;
      model.commanded(step, now, now + made * 12'500us);
      now += made * 12'500us;
      commands += made;
      left -= step.length;
    }
    QCOMPARE(commands, (16 * mebi + one - 1) / one);
  }

  void whatIsMeasuredIsWhatTheDeviceDoes_data() {
    QTest::addColumn<double>("times");
    for (const double times : {1.5, 10.0, 100.0}) QTest::addRow("%g times as fast", times) << times;
  }
  // h* = t / (1/W - 1/R)
  void whatIsMeasuredIsWhatTheDeviceDoes() {
    QFETCH(double, times);
    Simulation device(times * W);
    device.write(mebi);
    device.zero(gibi);
    const double expected = t / (1 / W - 1 / device.R);
    QVERIFY(std::abs(static_cast<double>(device.model.worth_a_command()) / expected - 1) < 0.01);
    device.write(mebi);  // the rate is not old
    QCOMPARE(device.model.fold_below(device.now), device.model.worth_a_command());
  }

  void aHoleIsWorthACommandFromThereOn() {
    Simulation device(10 * W);
    device.write(mebi);
    device.zero(gibi);
    const uint64_t worth = device.model.worth_a_command();
    QVERIFY(device.model.next(worth + kibi, device.now).command);
    QVERIFY(!device.model.next(worth - kibi, device.now).command);
  }

  void zeroingThatIsNoFasterIsLeftAloneAfterFourProbes_data() {
    QTest::addColumn<double>("times");
    for (const double times : {1.0, 0.5, 0.1}) QTest::addRow("%g times as fast", times) << times;
  }
  void zeroingThatIsNoFasterIsLeftAloneAfterFourProbes() {
    QFETCH(double, times);
    Simulation device(times * W);
    device.write(mebi);
    for (int i = 0; i < 20; ++i) device.step(gibi);
    QVERIFY2(device.commands <= 4, QByteArray::number(device.commands));
    QVERIFY(device.model.worth_a_look(device.now));
    QCOMPARE(device.model.fold_below(device.now), ZeroCostModel::never);
  }

  // A fixed time of 4 ms: 1 MiB is not worth it, 64 MiB is.
  void aLongCommandMayWinWhereAShortOneLoses() {
    ZeroCostModel model;
    Clock::Time now = 1s;
    const auto take = [&](double seconds) {
      const Clock::Time begun = now;
      now += Clock::Time(static_cast<int64_t>(1e9 * seconds));
      return begun;
    };
    model.wrote(mebi, take(mebi / W), now);
    ZeroCostModel::Step step;
    for (int i = 0; i < 10; ++i) {
      step = model.next(64 * mebi, now);
      const auto length = static_cast<double>(step.length);
      if (step.command) {
        model.commanded(step, take(4e-3 + length / (10 * W)), now);
      } else {
        model.wrote(step.length, take(length / W), now);
      }
    }
    QVERIFY(step.command);
    QVERIFY(std::abs(static_cast<double>(model.worth_a_command()) / (4e-3 / (0.9 / W)) - 1) < 0.01);
  }

  // On a busy machine any one command may be late.
  void oneLateCommandIsForgiven() {
    ZeroCostModel model;
    Clock::Time now = 1s;
    model.wrote(mebi, now, now + 2ms);
    now += 2ms;
    for (const Clock::Time took : {50ms, 1ms}) {
      const auto step = model.next(mebi, now);
      QVERIFY(step.command && step.alone);
      model.commanded(step, now, now + took);
      now += took;
    }
    QVERIFY(model.next(mebi, now).command);
  }

  // A new thin volume whose command is slow: what is not there already is not made to be.
  void holesOfATargetThatReadsAsZeroAreNotFilled() {
    ZeroCostModel model(ZeroCostModel::Rule::no_commands);
    model.wrote(mebi, 1s, 1s + 2ms);
    QVERIFY(model.fold_below(1s) < mebi);
    Clock::Time now = 2s;
    QVERIFY(model.worth_a_look(now));
    for (int i = 0; i < 10; ++i) {
      model.looked(mebi, true, now, now + 100us);
      now += 100us;
      QVERIFY(model.worth_a_look(now));
    }
    QVERIFY(model.fold_below(now) < mebi);
  }

  void findingOutThatCommandsAreSlowTakesAQuarterOfASecondAtMost() {
    ZeroCostModel model;
    model.wrote(mebi, 1s, 1s + 2ms);
    Clock::Time now = 2s, spent{0};
    for (int i = 0; i < 100; ++i) {
      const auto step = model.next(gibi, now);
      // 150 ms for the first MiB, and more fixed time than a fit would forgive.
      const Clock::Time took = step.command ? 150ms + 1ms * static_cast<int64_t>(step.length / mebi) : 1ms;
      if (step.command) {
        model.commanded(step, now, now + took);
        spent += took;
      } else {
        model.wrote(step.length, now, now + took);
      }
      now += took;
    }
    QVERIFY(spent <= 310ms);
  }

  void aLosingCommandIsTriedAgainForOneHundredthOfTheTime() {
    Simulation device(0.5 * W);
    device.write(mebi);
    device.zero(100 * gibi);
    const double by_writing = static_cast<double>(100 * gibi) / W;
    QVERIFY(device.commands > 50);
    QVERIFY(device.seconds() < 1.01 * by_writing);
  }

  void aDeviceThatBeginsToWriteSlowlyIsSeen() {
    Simulation device(0.5 * W);
    device.write(mebi);
    device.zero(gibi);
    QCOMPARE(device.model.worth_a_command(), ZeroCostModel::never);
    for (int i = 0; i < 200; ++i) {
      device.model.wrote(mebi, device.now, device.now + 20ms);  // its cache is full: 52 MB/s
      device.now += 20ms;
    }
    QVERIFY(device.model.next(64 * mebi, device.now).command);
    QVERIFY(device.model.fold_below(device.now) < mebi);
  }

  void queuedRequestsAreMeasuredByWhatEachAdds() {
    ZeroCostModel model;
    // Eight at a time, 2 ms each: the last has waited for seven others.
    for (int i = 0; i < 8; ++i) model.wrote(mebi, 1s, 1s + 2ms * (i + 1));
    model.commanded({true, true, mebi}, 2s, 2s + 1ms);
    model.commanded({true, true, 4 * mebi}, 3s, 3s + 2ms);
    // t 2/3 ms, 1/R 1/3 ms a MiB, 1/W 2 ms a MiB
    QVERIFY(std::abs(static_cast<double>(model.worth_a_command()) - mebi * (2. / 3) / (2 - 1. / 3)) < 100);
  }

  void smallWritesThatCostMoreMakeHolesWorthLess() {
    Simulation device(10 * W);
    device.write(mebi);
    device.zero(gibi);
    const uint64_t before = device.model.worth_a_command();
    for (int i = 0; i < 10; ++i) {
      const Clock::Time took(static_cast<int64_t>(1e9 * (50e-6 + 4096 / W)));
      device.model.wrote(4096, device.now, device.now + took);
      device.now += took;
    }
    // A hole left out makes two writes of one: + 50 us of 0.9/W each byte.
    QVERIFY(std::abs(static_cast<double>(device.model.worth_a_command() - before) - 50e-6 / (0.9 / W)) < 100);
  }

  void withoutACommandEverythingIsWritten() {
    ZeroCostModel model(ZeroCostModel::Rule::no_commands);
    QVERIFY(!model.next(gibi, 1s).command);
    QVERIFY(model.worth_a_look(1s));
    QCOMPARE(model.fold_below(1s), ZeroCostModel::never);
  }

  void refusedCommandsAreNotTriedAgain() {
    Simulation device(W);
    device.model.refused();
    device.zero(gibi);
    QCOMPARE(device.commands, 0u);
  }

  // Slow or not: leaving 64 KiB of a file empty is what it is for.
  void holesOfAFileAreMadeWhateverTheyCost() {
    Simulation device(0.1 * W, ZeroCostModel::Rule::sparse);
    device.write(mebi);
    device.zero(64 * mebi);
    QVERIFY(device.model.next(64 * kibi, device.now).command);
    QVERIFY(device.model.fold_below(device.now) <= 64 * kibi);
  }

  void whatWasAskedForIsDoneWhateverItCosts() {
    Simulation device(0.1 * W, ZeroCostModel::Rule::commands_only);
    device.write(mebi);
    for (const uint64_t length : {mebi, 64 * mebi, gibi, uint64_t{512}}) {
      QVERIFY(device.model.next(length, device.now).command);
      device.step(length);
    }
  }

  // Reading at twice the speed of writing pays where more than half of it is zero.
  void lookingPaysWhereMuchIsZero() {
    ZeroCostModel model(ZeroCostModel::Rule::no_commands);
    Clock::Time now = 1s;
    unsigned looks = 0;
    const auto go = [&](unsigned parts, bool zero) {
      looks = 0;
      for (unsigned i = 0; i < parts; ++i) {
        bool found = false;
        if (model.worth_a_look(now)) {
          ++looks;
          model.looked(mebi, zero, now, now + 10ms);
          now += 10ms;
          found = zero;
        }
        if (found) continue;
        model.wrote(mebi, now, now + 20ms);
        now += 20ms;
      }
    };
    go(1000, false);
    QVERIFY2(looks > 10 && looks <= 21, QByteArray::number(looks));  // 10 ms of each 1020
    go(1000, true);
    QVERIFY2(looks > 800, QByteArray::number(looks));
    go(1000, false);
    QVERIFY2(looks < 30, QByteArray::number(looks));
  }
};

QTEST_GUILESS_MAIN(CostModelTest)
#include "cost_model_test.moc"
