// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/version.h"

#include <QTest>
#include <algorithm>

class VersionTest : public QObject {
  Q_OBJECT

 private slots:
  void hasThreeParts() {
    const auto version = disklathe::version();
    QCOMPARE(std::ranges::count(version, '.'), 2);
  }
};

QTEST_GUILESS_MAIN(VersionTest)
#include "version_test.moc"
