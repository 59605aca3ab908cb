// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/stop.h"

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
};

QTEST_GUILESS_MAIN(StopTest)
#include "stop_test.moc"
