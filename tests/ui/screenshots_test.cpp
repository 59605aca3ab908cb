// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// LABELS: slow
// TIMEOUT: 300
//
// Draws every page and dialog, light and dark, in words that are long and from right to left, into
// DISKLATHE_SCREENSHOTS (or screenshots/ in the build folder), for people to look at. QT_SCALE_FACTOR makes them
// larger.
#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/looks.h"
#include "tests/support_ui/pseudo.h"
#include "tests/support_ui/sample_devices.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/device_picker.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/flows/conversion_flow.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/device_view.h"
#include "ui/pages/image_view.h"
#include "ui/pages/limits_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_list.h"
#include "ui/theme/translations.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

const QSize large(1280, 800), small(1000, 640);
constexpr int patience_ms = 30'000;

// A disk of a system in two layers: data in places, zeroes, holes, compressed clusters.
void make_images(const test::TempDir& folder) {
  const auto run = [](std::initializer_list<std::string> words) {
    QCOMPARE(test::run_program(std::vector<std::string>(words)).status, 0);
  };
  const std::string base = folder.file("win11-base.qcow2"), top = folder.file("win11.qcow2");
  run({"qemu-img", "create", "-q", "-f", "qcow2", base, "512M"});
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -P 1 0 9M", "-c", "write -q -P 2 40M 60M", "-c",
       "write -q -P 3 180M 50M", base});
  run({"qemu-img", "create", "-q", "-f", "qcow2", "-b", base, "-F", "qcow2", top});
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -P 4 12M 22M", "-c", "write -q -z 60M 8M", "-c",
       "write -q -P 5 120M 30M", "-c", "write -q -z 300M 40M", "-c", "write -q -P 6 360M 20M", top});
  for (int at = 400; at < 420; ++at)
    run({"qemu-io", "-f", "qcow2", "-c",
         "write -q -c -P " + std::to_string(at % 250) + " " + std::to_string(at) + "M 64k", top});
  run({"qemu-img", "snapshot", "-c", "before the update", top});
}

SweepRun sweep(const QString& name, double factor) {
  SweepRun run{.name = name, .points = {}};
  const double rates[] = {38, 71, 128, 214, 322, 421, 489, 523, 531, 534, 528, 497, 468};
  const double p50[] = {.10, .11, .12, .15, .20, .30, .52, .98, 1.95, 3.9, 7.9, 16.8, 35.6};
  for (size_t i = 0; i < std::size(rates); ++i) {
    SweepPoint point;
    point.size = uint64_t{4096} << i;
    point.rate = rates[i] * 1e6 * factor;
    point.p50 = std::chrono::nanoseconds(static_cast<int64_t>(p50[i] * 1e6));
    point.p99 = point.p50 * 3 - point.p50 * static_cast<int64_t>(i) / 10;
    run.points.push_back(point);
  }
  return run;
}

ChosenDevice chosen(const DevicePtr& device) {
  ChosenDevice chosen;
  chosen.path = device->disk.node;
  chosen.disk = device->disk;
  chosen.identity.number = device->disk.number;
  return chosen;
}

}  // namespace

class ScreenshotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    install_translations();
    QVERIFY(QDir().mkpath(looks::folder()));
    make_images(folder_);
  }
  void init() {
    QSettings().clear();
    QApplication::setLayoutDirection(Qt::LeftToRight);
  }
  void everyPage_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("light") << false << large;
    QTest::newRow("dark") << true << large;
    QTest::newRow("light-small") << false << small;
    QTest::newRow("long") << false << large;
    QTest::newRow("rtl") << false << large;
  }
  void everyPage() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    looks::use_palette(dark);
    suffix_ = u"-"_s + QString::fromLatin1(QTest::currentDataTag());
    looks::PseudoTranslator pseudo;
    if (suffix_ == u"-long") QCoreApplication::installTranslator(&pseudo);
    if (suffix_ == u"-rtl") QApplication::setLayoutDirection(Qt::RightToLeft);
    MainWindow window;
    window.resize(size);
    window.show();
    window.set_devices(samples::devices());
    looks::shoot(window, u"01-empty"_s + suffix_);
    device_pages(window);
    image_pages(window);
    job_pages(window);
    drag(window);
    dialogs(window);
    QCoreApplication::removeTranslator(&pseudo);
  }

 private:
  void device_pages(MainWindow& window) {
    auto* devices = window.findChildren<SideList*>().first();
    devices->setCurrentIndex(devices->model()->index(2, 0));
    auto* view = window.findChild<DeviceView*>();
    view->limits().set_report(u"/dev/sdc"_s, samples::limits());
    view->show_page(0);
    looks::shoot(window, u"02-limits"_s + suffix_);
    view->show_page(1);
    looks::shoot(window, u"03-partitions"_s + suffix_);
    auto changed = samples::devices();
    changed[2] = samples::free_disk();
    window.set_devices(changed);
    looks::shoot(window, u"03b-misaligned"_s + suffix_);
    view->show_page(2);
    looks::shoot(window, u"04-sweep-none"_s + suffix_);
    view->sweep().show_run(sweep(u"This run"_s, 1), sweep(u"2 Nov, front port"_s, 0.76));
    looks::shoot(window, u"04b-sweep"_s + suffix_);
    view->show_page(3);
    looks::shoot(window, u"05-zero"_s + suffix_);
    auto gone = samples::devices();
    gone.erase(gone.begin() + 2);
    window.set_devices(gone);
    looks::shoot(window, u"05b-unplugged"_s + suffix_);
    window.set_devices(changed);
  }
  void image_pages(MainWindow& window) {
    window.open({QUrl::fromLocalFile(QString::fromStdString(folder_.file("win11.qcow2")))});
    image_ = window.images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return !image_->references_to_allow().isEmpty(); }, patience_ms));
    looks::shoot(window, u"06-asks"_s + suffix_);
    auto* view = window.findChild<ImageView*>();
    view->show_layers();
    looks::shoot(window, u"07-layers-ask"_s + suffix_);
    image_->allow(QString::fromStdString(folder_.file("win11-base.qcow2")));
    QVERIFY(QTest::qWaitFor([&] { return image_->map_complete(); }, patience_ms));
    looks::shoot(window, u"07b-layers"_s + suffix_);
    view->show_page(0);
    looks::shoot(window, u"08-contents"_s + suffix_);
    view->show_export();
    looks::shoot(window, u"09-export"_s + suffix_);
    window.open({QUrl::fromLocalFile(QString::fromStdString(folder_.file("win11-base.qcow2")))});
    QVERIFY(QTest::qWaitFor([&] { return window.images().at(1)->map_complete(); }, patience_ms));
    view->show_compare();
    window.findChild<ComparePage*>()->set_other(image_->path());
    looks::shoot(window, u"10-compare"_s + suffix_);
  }
  void job_pages(MainWindow& window) {
    JobRequest request{.work = job::Convert{.format = "raw", .target_is_zero = true, .verify = true},
                       .source = image_->path()};
    request.target = QString::fromStdString(folder_.file("win11.raw"));
    request.approved = image_->approved();
    QueuedJob* queued = window.queue().add(request);
    QueuedJob* waits = window.queue().add(request);
    window.show_job(queued);
    QVERIFY(QTest::qWaitFor(
        [&] {
          return queued->state() == QueuedJob::State::ended || queued->worker()->progress().phase >= Phase::write;
        },
        patience_ms));
    QVERIFY2(window.grab().save(looks::folder() + u"/11-job"_s + suffix_ + u".png"_s), "11-job");
    QVERIFY(QTest::qWaitFor([&] { return waits->state() == QueuedJob::State::ended; }, patience_ms));
    looks::shoot(window, u"11b-verified"_s + suffix_);
    request.target = u"/nowhere/win11.raw"_s;
    QueuedJob* fails = window.queue().add(request);
    window.show_job(fails);
    QVERIFY(QTest::qWaitFor([&] { return fails->state() == QueuedJob::State::ended; }, patience_ms));
    looks::shoot(window, u"11c-failed"_s + suffix_);
    Q_EMIT window.findChild<JobsPane*>()->history_wanted();
    looks::shoot(window, u"12-history"_s + suffix_);
  }
  void drag(MainWindow& window) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(u"/home/ana/win11.qcow2"_s)});
    QDragEnterEvent enter(window.rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    looks::shoot(window, u"13-drop"_s + suffix_);
    QDragLeaveEvent leave;
    QCoreApplication::sendEvent(&window, &leave);
  }
  void dialogs(MainWindow& window) {
    {
      ConvertDialog dialog(image_, window.devices(), &window);
      dialog.show();
      dialog.choose_format(u"qcow2"_s);
      looks::shoot(dialog, u"14-convert"_s + suffix_);
      dialog.choose_devices();
      looks::shoot(dialog, u"15-picker"_s + suffix_);
      dialog.choose_device(window.devices().at(3));
      looks::shoot(dialog, u"15b-picked"_s + suffix_);
    }
    for (const auto& [name, device] :
         {std::pair(u"16-erase"_s, samples::free_disk()), std::pair(u"16b-erase-blank"_s, samples::blank_card())}) {
      EraseDialog dialog(chosen(device),
                         {.name = u"win11.qcow2"_s, .detail = u"64.4 GB, qcow2"_s, .size = 30'424'509'440},
                         window.devices(), &window);
      dialog.show();
      looks::shoot(dialog, name + suffix_);
    }
    PreferencesDialog preferences(&window);
    preferences.show();
    looks::shoot(preferences, u"17-preferences"_s + suffix_);
  }

  test::TempDir folder_;
  ImagePtr image_;
  QString suffix_;
};

QTEST_MAIN(ScreenshotsTest)
#include "screenshots_test.moc"
