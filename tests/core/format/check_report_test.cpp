// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/format/check.h"

using namespace disklathe;

class CheckReportTest : public QObject {
  Q_OBJECT
 private slots:
  void allIsCountedAndTheFirstAreTold() {
    CheckReport report;
    size_t worded = 0;
    for (uint64_t i = 0; i < 3 * CheckReport::max_told; ++i) {
      report.add(Finding::Kind::corruption, i, [&] {
        ++worded;
        return std::to_string(i);
      });
    }
    QCOMPARE(report.corruptions, 3 * CheckReport::max_told);
    QCOMPARE(report.findings.size(), CheckReport::max_told);
    QCOMPARE(report.findings[7].what, "7");
    QCOMPARE(worded, CheckReport::max_told);
  }

  void kindsAreCountedApart() {
    CheckReport report;
    report.add(Finding::Kind::leak, 0, "leaked", 5);
    report.add(Finding::Kind::check_error, 0, "not seen");
    QCOMPARE(report.leaks, 5u);
    QCOMPARE(report.check_errors, 1u);
    QCOMPARE(report.corruptions, 0u);
  }
};

QTEST_GUILESS_MAIN(CheckReportTest)
#include "check_report_test.moc"
