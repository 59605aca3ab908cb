// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/pages/partitions_page.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support_ui/driver.h"
#include "tests/support_ui/sample_devices.h"

using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

class PartitionsPageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // As of a loop device, which the kernel was not asked to look for partitions on.
  void aTableWithoutPartitionsIsStillATable() {
    PartitionsPage page;
    page.show();
    auto disk = std::make_shared<Device>(*samples::free_disk());
    disk->disk.partitions.clear();
    disk->partition_usage.clear();
    page.set_device(disk);
    QVERIFY(says(page, u"GPT, a partition table, is on it, but the kernel shows no partitions of it."_s));
  }
};

QTEST_MAIN(PartitionsPageTest)
#include "partitions_page_test.moc"
