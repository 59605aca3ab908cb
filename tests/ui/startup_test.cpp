// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// LABELS: serial
#include <QtWidgets>

#include <QTest>

#include "ui/main_window.h"

using namespace disklathe::ui;

class StartupTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
  }
  // After one that reads fonts and libraries in.
  void theWindowIsThereInTime() {
    qint64 best = 100'000;
    for (int i = 0; i < 3; ++i) {
      QElapsedTimer timer;
      timer.start();
      MainWindow window;
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      window.grab();
      best = std::min(best, timer.elapsed());
    }
    QVERIFY2(best < 400, qPrintable(QString::number(best)));
  }
  void devicesOfThisMachineAppear() {
    MainWindow window;
    window.show();
    window.start();
    QTest::qWait(200);  // no crash with whatever there is, and none at the end while it looks
  }
};

QTEST_MAIN(StartupTest)
#include "startup_test.moc"
