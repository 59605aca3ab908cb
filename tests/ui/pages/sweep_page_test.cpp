// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/pages/sweep_page.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support_ui/driver.h"
#include "tests/support_ui/sample_devices.h"
#include "ui/jobs/job_queue.h"

using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

class SweepPageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void whatIsTooSmallIsCalledThat() {
    JobQueue queue;
    SweepPage page(SweepPage::Of::device, queue);
    page.show();
    auto small = std::make_shared<Device>(*samples::blank_card());
    small->disk.size = 4096;
    page.set_device(small);
    QVERIFY(says(page, u"Too small for this"_s));
    QVERIFY(!said(page).contains(u"Reads at most"));
    page.set_device(samples::free_disk());
    QVERIFY(says(page, u"Reads at most"_s));
  }
};

QTEST_MAIN(SweepPageTest)
#include "sweep_page_test.moc"
