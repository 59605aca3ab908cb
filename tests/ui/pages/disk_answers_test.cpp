// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/pages/disk_answers.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "tests/support_ui/sample_devices.h"
#include "ui/controls/fact_table.h"
#include "ui/jobs/worker_job.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

class DiskAnswersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  // A password may be asked for: only who presses the button is.
  void nothingIsAskedBeforeAPersonSaysSo() {
    DiskAnswers answers;
    answers.show();
    answers.set_device(samples::usb_disk());
    QVERIFY(says(answers, u"It may take a password."_s));
    QVERIFY(button(answers, u"Ask the Disk"_s));
    QTest::qWait(50);
    QVERIFY(answers.findChildren<WorkerJob*>().isEmpty());
  }
  void whatCannotBeAskedIsNotOffered() {
    DiskAnswers answers;
    answers.set_device(samples::blank_card());  // cards speak neither SCSI, ATA nor NVMe
    QVERIFY(answers.isHidden());
    answers.set_device(samples::usb_disk());
    QVERIFY(!answers.isHidden());
  }
  void whatItReportsIsShownAndTheRestNamed() {
    DiskAnswers answers;
    answers.show();
    answers.set_device(samples::usb_disk());
    answers.show_answers(samples::answers());
    QVERIFY(says(answers, u"Samsung PSSD T7, firmware 0 (SCSI)"_s));
    const auto* table = answers.findChild<FactTable*>();
    QCOMPARE(table->rowCount(), 9);
    QCOMPARE(table->item(2, 0)->text(), u"Optimal transfer"_s);
    QCOMPARE(table->item(2, 1)->text(), u"1\u00a0MiB"_s);
    QVERIFY(says(answers, u"Not reported: Transfer granularity, Boundary, Maximum write zeroes,"_s));
    // Of the next one nothing is known.
    auto other = std::make_shared<Device>(*samples::usb_disk());
    other->disk.serial = "another";
    answers.set_device(other);
    QVERIFY(!table->isVisible());
    QVERIFY(!said(answers).contains(u"PSSD"));
  }
  void oneThatDoesNotAnswerIsSaidToBeSilent() {
    const test::TempDir folder;
    test::write_file(folder.file("disk"), std::string(1 << 20, '\0'));
    const auto loop = test::LoopDevice::attach(folder.file("disk"), 512);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    auto disks = enumerate_disks();
    QVERIFY(disks.has_value());
    auto device = std::make_shared<Device>();
    for (const Disk& disk : *disks)
      if (disk.node == loop->path()) device->disk = disk;
    device->disk.bus = Bus::usb;
    DiskAnswers answers;
    answers.show();
    answers.set_device(device);
    QVERIFY(click(answers, u"Ask the Disk"_s));
    QVERIFY(says(answers, u"It does not answer."_s));
    QVERIFY(button(answers, u"Ask the Disk"_s));
  }
};

QTEST_MAIN(DiskAnswersTest)
#include "disk_answers_test.moc"
