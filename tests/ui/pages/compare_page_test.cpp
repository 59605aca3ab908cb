// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
#include "ui/pages/compare_page.h"

#include <QtWidgets>

#include <QTest>

#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/devices/device_model.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"

using namespace disklathe;
using namespace disklathe::ui;

class ComparePageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void anOpenListStaysAsItIs() {
    const test::TempDir folder;
    for (const char* name : {"a.raw", "b.raw", "c.raw"}) test::write_file(folder.file(name), std::string(65536, 'x'));
    const auto path = [&](const char* name) { return QString::fromStdString(folder.file(name)); };
    ImageModel images;
    DeviceModel devices;
    JobQueue queue;
    ComparePage page(images, devices, queue);
    page.show();
    page.set_image(images.at(images.open(path("a.raw"))));
    images.open(path("b.raw"));
    auto* list = page.findChild<QComboBox*>();
    const int before = list->count();
    list->showPopup();
    QVERIFY(list->view()->isVisible());
    images.open(path("c.raw"));
    QCOMPARE(list->count(), before);
    list->hidePopup();
    QVERIFY(QTest::qWaitFor([&] { return list->count() == before + 1; }, 5000));
  }
};

QTEST_MAIN(ComparePageTest)
#include "compare_page_test.moc"
