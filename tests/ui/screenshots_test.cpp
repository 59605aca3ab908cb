// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// LABELS: slow
// TIMEOUT: 300
//
// Draws every page and dialog, light and dark, in words that are long, German, and from right to left, into
// DISKLATHE_SCREENSHOTS (or screenshots/ in the build folder), for people to look at. QT_SCALE_FACTOR makes them
// larger.
#include <QtWidgets>

#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/served_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "tests/support_ui/looks.h"
#include "tests/support_ui/pseudo.h"
#include "tests/support_ui/sample_devices.h"
#include "tests/support_ui/sample_images.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/closing_dialog.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/device_picker.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/flows/conversion_flow.h"
#include "ui/images/open_image.h"
#include "ui/jobs/exports.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/device_view.h"
#include "ui/pages/disk_answers.h"
#include "ui/pages/image_view.h"
#include "ui/pages/limits_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/pages/zero_page.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_list.h"
#include "ui/theme/translations.h"
#include "ui/words/device_words.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

const QSize large(1280, 800), small(1000, 640);
constexpr int patience_ms = 30'000;

SweepRun sweep(const QString& name, double factor, bool with_rounds) {
  SweepRun run{.name = name, .mode = u"read 1"_s, .points = {}};
  const double rates[] = {38, 71, 128, 214, 322, 421, 489, 523, 531, 534, 528, 497, 468};
  const double p50[] = {.10, .11, .12, .15, .20, .30, .52, .98, 1.95, 3.9, 7.9, 16.8, 35.6};
  for (size_t i = 0; i < std::size(rates); ++i) {
    SweepPoint point;
    point.size = uint64_t{4096} << i;
    point.rate = rates[i] * 1e6 * factor;
    if (with_rounds) {
      point.least_rate = point.rate * (0.97 - 0.01 * static_cast<double>(i));
      point.most_rate = point.rate * (1.01 + 0.007 * static_cast<double>(i));
    }
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
    test::make_images(folder_);
    test::make_odd_images(folder_);
    // The pointer is said to be over the first window, wherever it is.
    QWidget first;
    first.show();
    QTest::qWait(50);
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
    QTest::newRow("german") << false << large;
    QTest::newRow("german-small") << true << small;
    QTest::newRow("rtl") << false << large;
  }
  void everyPage() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    looks::use_palette(dark);
    suffix_ = u"-"_s + QString::fromLatin1(QTest::currentDataTag());
    looks::PseudoTranslator pseudo;
    if (suffix_ == u"-long") QCoreApplication::installTranslator(&pseudo);
    looks::PseudoTranslator right_to_left(true);
    if (suffix_ == u"-rtl") {
      QApplication::setLayoutDirection(Qt::RightToLeft);
      QCoreApplication::installTranslator(&right_to_left);
    }
    const QLocale before;
    const bool german = suffix_.startsWith(u"-german");
    QTranslator translator;
    if (german) {
      QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
      QVERIFY(translator.load(u":/disklathe/translations/disklathe_de.qm"_s));
      QCoreApplication::installTranslator(&translator);
    }
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
    QCoreApplication::removeTranslator(&right_to_left);
    QCoreApplication::removeTranslator(&translator);
    QLocale::setDefault(before);
  }

 private:
  void device_pages(MainWindow& window) {
    using Tab = DeviceView::Tab;
    auto* devices = window.findChildren<SideList*>().first();
    devices->setCurrentIndex(devices->model()->index(2, 0));
    auto* view = window.findChild<DeviceView*>();
    const auto shoot = [&](Tab tab, const QString& name) {
      view->show_tab(tab);
      looks::shoot(window, name + suffix_);
    };
    view->limits().set_report(u"/dev/sdc"_s, samples::limits());
    shoot(Tab::contents, u"02-device-contents"_s);
    shoot(Tab::limits, u"02b-limits"_s);
    show_answers(window, *view);
    shoot(Tab::partitions, u"03-partitions"_s);
    auto changed = samples::devices();
    changed[2] = samples::free_disk();
    window.set_devices(changed);
    shoot(Tab::partitions, u"03b-misaligned"_s);
    shoot(Tab::sweep, u"04-sweep-none"_s);
    view->sweep().show_run(sweep(u"This run"_s, 1, true),
                           {sweep(u"2 Nov, front port"_s, 0.76, false), sweep(u"30 Oct, hub"_s, 0.42, false)});
    shoot(Tab::sweep, u"04b-sweep"_s);
    devices->setCurrentIndex(devices->model()->index(0, 0));
    shoot(Tab::contents, u"02c-system-contents"_s);
    shoot(Tab::limits, u"02d-no-limits"_s);
    devices->setCurrentIndex(devices->model()->index(3, 0));
    shoot(Tab::contents, u"02e-blank-contents"_s);
    shoot(Tab::partitions, u"03c-blank-partitions"_s);
    devices->setCurrentIndex(devices->model()->index(2, 0));
    view->limits().set_report(u"/dev/sdc"_s, samples::limits());
    QSettings().setValue(u"zeroing/"_s + QString::fromStdString(changed[2]->disk.id) + u"/2/seconds"_s, 2100);
    QSettings().setValue(u"zeroing/"_s + QString::fromStdString(changed[2]->disk.id) + u"/2/share"_s, 1);
    QSettings().setValue(u"zeroing/"_s + QString::fromStdString(changed[2]->disk.id) + u"/1/seconds"_s, 40);
    QSettings().setValue(u"zeroing/"_s + QString::fromStdString(changed[2]->disk.id) + u"/1/share"_s, 0.1);
    view->set_device(changed[2]);
    shoot(Tab::zero, u"05-zero"_s);
    shoot(Tab::log, u"05c-device-log"_s);
    auto gone = samples::devices();
    gone.erase(gone.begin() + 2);
    window.set_devices(gone);
    looks::shoot(window, u"05b-unplugged"_s + suffix_);
    window.set_devices(changed);
  }
  // At the end of the limits: before, and once it was asked.
  void show_answers(MainWindow& window, DeviceView& view) {
    QScrollBar* bar = view.limits().verticalScrollBar();
    const auto shoot_end = [&](const QString& name) {
      QTest::qWait(50);
      bar->setValue(bar->maximum());
      looks::shoot(window, name + suffix_);
    };
    shoot_end(u"02f-ask"_s);
    view.limits().answers().show_answers(samples::answers());
    shoot_end(u"02g-answers"_s);
    bar->setValue(0);
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
    view->show_partitions();
    looks::shoot(window, u"08b-image-partitions"_s + suffix_);
    view->show_sweep();
    looks::shoot(window, u"08e-image-sweep"_s + suffix_);
    window.open({QUrl::fromLocalFile(QString::fromStdString(folder_.file("win11-base.qcow2")))});
    QVERIFY(QTest::qWaitFor([&] { return window.images().at(1)->map_complete(); }, patience_ms));
    view->show_compare();
    window.findChild<ComparePage*>()->set_other(image_->path());
    looks::shoot(window, u"10-compare"_s + suffix_);
    QVERIFY(press(window, "disklathe::ui::ComparePage", "Compare"));
    const QueuedJob* compared = window.queue().jobs().last();
    QVERIFY(QTest::qWaitFor([&] { return compared->state() == QueuedJob::State::ended; }, patience_ms));
    looks::shoot(window, u"10b-compare-differ"_s + suffix_);
    serve(window, *view);
    odd_images(window, *view);
  }
  void odd_images(MainWindow& window, ImageView& view) {
    const auto open = [&](const char* name) {
      const QString path = QString::fromStdString(folder_.file(name));
      window.open({QUrl::fromLocalFile(path)});
      view.show_page(0);
      const ImagePtr image = view.image();
      return image->path() == path &&
             QTest::qWaitFor([&] { return image->state() != OpenImage::State::reading; }, patience_ms);
    };
    for (const char* name : {"broken.qcow2", "locked.qcow2", "card.img.gz", "misnamed.vmdk"}) {
      QVERIFY(open(name));
      QTest::qWait(300);
      looks::shoot(window, u"08c-"_s + QString::fromLatin1(name).section(u'.', 0, 0) + suffix_);
    }
    QVERIFY(open("old-pc.img"));
    QVERIFY(QTest::qWaitFor([&] { return view.image()->map_complete(); }, patience_ms));
    view.show_partitions();
    looks::shoot(window, u"08d-logical-partitions"_s + suffix_);
    window.open({QUrl::fromLocalFile(image_->path())});
    while (window.images().rowCount() > 2) window.images().close(window.images().rowCount() - 1);
  }
  // Presses what is shown with this text, in whatever language.
  static bool press(const QWidget& root, const char* context, const char* text) {
    const QString words = QCoreApplication::translate(context, text);
    for (auto* button : root.findChildren<QPushButton*>())
      if (button->isVisible() && button->isEnabled() && button->text() == words) return button->click(), true;
    return false;
  }
  // Read by nobody yet, and by a client.
  void serve(MainWindow& window, ImageView& view) {
    window.open({QUrl::fromLocalFile(image_->path())});
    view.show_export();
    QVERIFY(press(view, "disklathe::ui::ExportPage", "&Start"));
    QTest::qWait(500);
    looks::shoot(window, u"09b-served"_s + suffix_);
    const QString uri = QRegularExpression(u"nbd\\+unix:\\S+"_s).match(drive::said(window)).captured();
    QProcess reader;
    reader.start(u"python3"_s, {u"-c"_s,
                                u"import nbd, sys, time\nh = nbd.NBD()\nh.connect_uri(sys.argv[1])\n"
                                "for n in range(10, 140): h.pread(1 << 20, n << 20); time.sleep(0.01)\n"
                                "time.sleep(30)"_s,
                                uri});
    QTest::qWait(3000);
    looks::shoot(window, u"09c-clients"_s + suffix_);
    reader.kill();
    reader.waitForFinished();
    QVERIFY(press(view, "disklathe::ui::ExportPage", "&Stop"));
    QTest::qWait(300);
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
    onto_a_device(window, request.approved);
    differs(window);
  }
  // A loop device: painted as it is written, held in the middle.
  void onto_a_device(MainWindow& window, const QStringList& approved) {
    QFile file(QString::fromStdString(folder_.file("disk")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(qint64{8} << 30));
    file.close();
    const auto loop = test::LoopDevice::attach(folder_.file("disk"), 512);
    if (!loop) return;
    auto chosen_loop = choose_device(loop->path());
    if (!chosen_loop) return;
    auto device = std::make_shared<Device>();
    device->disk = chosen_loop->disk;
    DeviceList devices = window.devices().devices();
    devices.push_back(device);
    window.set_devices(devices);
    JobRequest request{.work = job::Convert{.format = "raw", .existing = true, .verify = true},
                       .source = image_->path()};
    request.target = QString::fromStdString(loop->path());
    request.approved = approved;
    request.device = std::make_shared<ChosenDevice>(std::move(*chosen_loop));
    QueuedJob* queued = window.queue().add(request);
    window.show_job(queued);
    QVERIFY(QTest::qWaitFor([&] { return queued->worker()->can_pause(); }, patience_ms));
    queued->worker()->set_paused(true);
    QVERIFY(QTest::qWaitFor([&] { return queued->paused(); }, patience_ms));
    QTest::qWait(400);
    looks::shoot(window, u"11d-paused"_s + suffix_);
    // The question is asked modally.
    QTimer::singleShot(300, &window, [this] {
      QWidget* asked = QApplication::activeModalWidget();
      QVERIFY(asked);
      looks::shoot(*asked, u"18-closing"_s + suffix_);
      asked->close();
    });
    ClosingDialog(window.queue(), {}, &window).ask();
    auto* list = window.findChildren<SideList*>().first();
    list->setCurrentIndex(list->model()->index(static_cast<int>(devices.size()) - 1, 0));
    auto* view = window.findChild<DeviceView*>();
    view->show_tab(DeviceView::Tab::contents);
    looks::shoot(window, u"11e-painting"_s + suffix_);
    queued->worker()->set_paused(false);
    QVERIFY(QTest::qWaitFor([&] { return queued->state() == QueuedJob::State::ended; }, patience_ms));
    looks::shoot(window, u"11f-left"_s + suffix_);
    view->show_tab(DeviceView::Tab::log);
    looks::shoot(window, u"11g-device-log"_s + suffix_);
    window.show_job(queued);
    looks::shoot(window, u"11h-device-verified"_s + suffix_);
    image_of(window, device);
    devices.pop_back();
    window.set_devices(devices);
  }
  void image_of(MainWindow& window, const DevicePtr& device) {
    JobRequest request{.work = job::Convert{.source_format = "raw", .format = "raw", .verify = true},
                       .source = QString::fromStdString(device->disk.node)};
    request.target = QString::fromStdString(folder_.file("image-of-it.img"));
    request.read = device;
    QueuedJob* queued = window.queue().add(request);
    window.show_job(queued);
    QVERIFY(QTest::qWaitFor([&] { return queued->worker()->can_pause(); }, patience_ms));
    QTest::qWait(800);
    queued->worker()->set_paused(true);
    QVERIFY(QTest::qWaitFor([&] { return queued->paused(); }, patience_ms));
    looks::shoot(window, u"11j-making-image"_s + suffix_);
    queued->stop();
    QVERIFY(QTest::qWaitFor([&] { return queued->state() == QueuedJob::State::ended; }, patience_ms));
    window.queue().remove(queued);
  }
  // A disk that forgets what it was told.
  void differs(MainWindow& window) {
    const auto served = test::ServedFile::mount(folder_.path(), 64 << 20);
    if (!served) return;
    served->lie_at((5 << 20) + 17);
    const auto loop = test::LoopDevice::attach(served->path(), 512);
    if (!loop) return;
    auto chosen_loop = choose_device(loop->path());
    if (!chosen_loop) return;
    JobRequest request{.work = job::Convert{.format = "raw", .existing = true, .verify = true},
                       .source = QString::fromStdString(folder_.file("small.raw"))};
    test::write_file(folder_.file("small.raw"), std::string(16 << 20, 'x'));
    request.target = QString::fromStdString(loop->path());
    request.device = std::make_shared<ChosenDevice>(std::move(*chosen_loop));
    window.open({QUrl::fromLocalFile(request.source)});
    QTest::qWait(500);
    QueuedJob* queued = window.queue().add(request);
    window.show_job(queued);
    QVERIFY(QTest::qWaitFor([&] { return queued->state() == QueuedJob::State::ended; }, patience_ms));
    looks::shoot(window, u"11i-differs"_s + suffix_);
    window.queue().remove(queued);
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
    for (const auto& [name, device] : {std::pair(u"14b-make-image"_s, samples::free_disk()),
                                       std::pair(u"14c-make-image-mounted"_s, samples::usb_disk())}) {
      ConvertDialog dialog(std::make_shared<OpenImage>(device), window.devices(), &window);
      dialog.show();
      dialog.choose_path(u"/tmp/Samsung-T7.img"_s);
      looks::shoot(dialog, name + suffix_);
    }
    for (const auto& [name, device] :
         {std::pair(u"16-erase"_s, samples::free_disk()), std::pair(u"16b-erase-blank"_s, samples::blank_card())}) {
      EraseDialog dialog(chosen(device),
                         {.name = u"win11.qcow2"_s,
                          .detail = u"30.4 GB, qcow2"_s,
                          .size = 30'424'509'440,
                          .data = 21'000'000'000,
                          .zeroes = 9'424'509'440},
                         window.devices(), &window);
      dialog.show();
      looks::shoot(dialog, name + suffix_);
    }
    {
      const DevicePtr device = samples::free_disk();
      EraseDialog dialog(chosen(device),
                         {.name = QCoreApplication::translate("disklathe::ui::ZeroPage", "Zeroes"),
                          .detail = QCoreApplication::translate("disklathe::ui::ZeroPage", "The fastest way"),
                          .size = device->disk.size},
                         window.devices(), &window);
      dialog.show();
      looks::shoot(dialog, u"16c-erase-zero"_s + suffix_);
    }
    {
      const DevicePtr device = samples::usb_disk();
      EraseDialog dialog(chosen(device),
                         {.name = u"win11.qcow2"_s,
                          .detail = u"600.0 GB, qcow2"_s,
                          .size = 600'000'000'000,
                          .warning = DeviceWords::sector_mismatch(
                              PartitionTable{.kind = PartitionTable::Kind::gpt, .sector_size = 4096}, device->disk)},
                         window.devices(), &window);
      dialog.show();
      looks::shoot(dialog, u"16d-erase-warning"_s + suffix_);
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
