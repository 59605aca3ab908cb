// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tuner.h"

#include <QTest>
#include <functional>

using namespace disklathe;
using namespace std::chrono_literals;

namespace {

constexpr double mebi = 1 << 20;

// A device with a rate for each request size, 8 requests in flight, and a clock of its own.
class SimulatedDevice {
 public:
  using Rate = std::function<double(double mebibytes)>;  // of a request's size, bytes per second

  explicit SimulatedDevice(Rate rate) : rate_(std::move(rate)) {}

  void run(Tuner& tuner, unsigned requests) {
    for (unsigned i = 0; i < requests; ++i) {
      const uint64_t size = tuner.choice().size;
      const auto took =
          Tuner::Time(static_cast<int64_t>(1e9 * static_cast<double>(size) / rate_(static_cast<double>(size) / mebi)));
      const Tuner::Time begun = now_ - 7 * took;
      now_ += took;
      tuner.record(size, begun, now_);
      bytes_ += static_cast<double>(size);
    }
  }
  double rate() const { return bytes_ / std::chrono::duration<double>(now_ - 1s).count(); }

 private:
  Rate rate_;
  Tuner::Time now_ = 1s;
  double bytes_ = 0;
};

}  // namespace

class TunerTest : public QObject {
  Q_OBJECT

 private slots:
  // The published table of 2015: 2 MiB requests 14 % slower, 4 MiB 30 %.
  void aDeviceThatSlowsBeyondOneMebibyteIsLeftAtOne() {
    SimulatedDevice device([](double size) { return 200 * mebi * (size > 2 ? 0.7 : size > 1 ? 0.86 : 1); });
    Tuner tuner({});
    device.run(tuner, 1000);
    QCOMPARE(tuner.choice().size, 1u << 20);
    QCOMPARE(tuner.choice().reason, Tuner::Reason::settled);
  }

  void aSlowerSizeIsGivenUpAfterOneWindow() {
    SimulatedDevice device([](double size) { return size > 1 ? 50 * mebi : 200 * mebi; });
    Tuner tuner({});
    unsigned slow = 0;
    for (int i = 0; i < 1000; ++i) {
      device.run(tuner, 1);
      slow += tuner.choice().size > (1u << 20);
    }
    QVERIFY2(slow > 0 && slow < 2 * 64 + 16, QByteArray::number(slow));
  }

  void aDeviceThatLikesFourMebibytesGetsThem() {
    SimulatedDevice device([](double size) { return 500 * mebi * (size >= 4 ? 1 : size >= 2 ? 0.8 : 0.6); });
    Tuner tuner({});
    device.run(tuner, 10000);
    QCOMPARE(tuner.choice().size, 4u << 20);
    QVERIFY(device.rate() >= 0.97 * 500 * mebi);
  }

  void aDeviceThatLikesSmallRequestsGetsThem() {
    SimulatedDevice device([](double size) { return size > 0.5 ? 100 * mebi : size > 0.25 ? 120 * mebi : 150 * mebi; });
    Tuner tuner({});
    device.run(tuner, 5000);
    QCOMPARE(tuner.choice().size, 1u << 18);
  }

  void noiseOfThreePercentChangesNothing() {
    unsigned turn = 0;
    SimulatedDevice device([&](double) { return 300 * mebi * (0.97 + 0.01 * (turn++ % 7)); });
    Tuner tuner({});
    device.run(tuner, 3000);
    QCOMPARE(tuner.choice().size, 1u << 20);
  }

  void aRequestOfMoreThanFiveSecondsHalvesTheSizeForGood() {
    Tuner tuner({});
    tuner.record(1 << 20, 1s, 7s);
    QCOMPARE(tuner.choice().size, 1u << 19);
    QCOMPARE(tuner.choice().reason, Tuner::Reason::slow_request);
    SimulatedDevice device([](double size) { return size * 1000 * mebi; });
    device.run(tuner, 1000);
    QCOMPARE(tuner.choice().size, 1u << 19);
  }

  void sizesStayMultiplesOfTheUnitAndInsideTheBounds() {
    SimulatedDevice device([](double size) { return size * 100 * mebi; });
    Tuner tuner({.start = 2 << 20, .least = 2 << 20, .most = 8 << 20, .unit = 2 << 20});
    device.run(tuner, 5000);
    QCOMPARE(tuner.choice().size, 8u << 20);
  }
};

QTEST_GUILESS_MAIN(TunerTest)
#include "tuner_test.moc"
