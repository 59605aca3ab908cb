// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/stop.h"

#include <poll.h>

#include <csignal>

#include <QTest>

namespace {
disklathe::Stop stop;
}

class StopTest : public QObject {
  Q_OBJECT

 private slots:
  void isAskedForFromASignalHandler() {
    QVERIFY(!stop.requested());
    const auto before = std::signal(SIGUSR1, [](int) { stop.request(); });
    QCOMPARE(std::raise(SIGUSR1), 0);
    std::signal(SIGUSR1, before);
    QVERIFY(stop.requested());
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
