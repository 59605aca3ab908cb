// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/stop.h"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <QTest>

using namespace std::chrono_literals;

namespace {
disklathe::Stop signalled;
}

class StopTest : public QObject {
  Q_OBJECT

 private slots:
  void isAskedForFromASignalHandler() {
    QVERIFY(!signalled.requested());
    const auto before = std::signal(SIGUSR1, [](int) { signalled.request(); });
    QCOMPARE(std::raise(SIGUSR1), 0);
    std::signal(SIGUSR1, before);
    QVERIFY(signalled.requested());
  }

  void aPauseHoldsWhoComesUntilItIsResumed() {
    disklathe::Stop stop;
    stop.pause();
    std::atomic<bool> through = false;
    std::jthread slot([&] {
      stop.wait_while_paused();
      through = true;
    });
    std::this_thread::sleep_for(30ms);
    QVERIFY(!through);
    stop.resume();
    slot.join();
    QVERIFY(through && !stop.requested());
  }

  void aStopEndsAPause() {
    disklathe::Stop stop;
    stop.pause();
    std::jthread slot([&] { stop.wait_while_paused(); });
    stop.request();
    slot.join();
    stop.pause();
    QVERIFY(stop.requested() && !stop.paused());
  }

  void theClockStandsStillInAPauseAndNeverGoesBack() {
    disklathe::Stop stop;
    const auto begun = stop.clock().now();
    stop.pause();
    const auto paused = stop.clock().now();
    std::this_thread::sleep_for(50ms);
    QCOMPARE(stop.clock().now(), paused);
    stop.resume();
    const auto after = stop.clock().now();
    QVERIFY(after >= paused);
    QVERIFY(after - begun < 40ms);
  }

  void wakesWhoWaits() {
    const auto readable = [](const disklathe::Stop& one) {
      pollfd watched{.fd = one.descriptor(), .events = POLLIN, .revents = 0};
      return poll(&watched, 1, 0) == 1;
    };
    disklathe::Stop asked, late;
    QVERIFY(!readable(asked));
    asked.request();
    asked.request();
    QVERIFY(readable(asked));
    QVERIFY(readable(asked));  // and stays so
    late.request();
    QVERIFY(readable(late));
  }
};

QTEST_GUILESS_MAIN(StopTest)
#include "stop_test.moc"
