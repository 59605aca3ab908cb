// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/controls/surfaces.h"
#include "ui/desktop/disk_service.h"
#include "ui/devices/device_log.h"
#include "ui/devices/device_model.h"
#include "ui/devices/device_watch.h"
#include "ui/dialogs/problem_box.h"
#include "ui/flows/conversion_flow.h"
#include "ui/images/open_image.h"
#include "ui/jobs/exports.h"
#include "ui/jobs/history.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_actions.h"
#include "ui/main_jobs.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/device_view.h"
#include "ui/pages/history_page.h"
#include "ui/pages/image_view.h"
#include "ui/pages/job_view.h"
#include "ui/pages/sweep_page.h"
#include "ui/pages/welcome_page.h"
#include "ui/pages/zero_page.h"
#include "ui/panes/drop_zones.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_pane.h"
#include "ui/words/format_words.h"

namespace disklathe::ui {
namespace {

constexpr int low_below = 720;
const QString geometry_key = QStringLiteral("window/geometry");

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setWindowTitle(tr("Disklathe"));
  setMinimumSize(1000, 640);
  resize(1280, 800);
  restoreGeometry(QSettings().value(geometry_key).toByteArray());
  setAcceptDrops(true);

  watch_ = new DeviceWatch(this);
  devices_ = new DeviceModel(this);
  images_ = new ImageModel(this);
  queue_ = new JobQueue(this);
  exports_ = new Exports(this);
  device_log_ = new DeviceLog(*devices_, *queue_, this);
  history_ = new History(this);
  flow_ = new ConversionFlow(*devices_, *queue_, *this);
  actions_ = new MainActions(*this);

  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(actions_->make_tools());
  column->addWidget(new Rule);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  side_ = new SidePane(*devices_, *images_);
  middle->addWidget(side_);
  middle->addWidget(new Rule(Qt::Vertical));
  stack_ = new QStackedWidget;
  middle->addWidget(stack_, 1);
  column->addLayout(middle, 1);
  column->addWidget(new Rule);
  jobs_pane_ = new JobsPane(*queue_, *exports_);
  column->addWidget(jobs_pane_);
  setCentralWidget(all);
  make_pages();
  connect_pages();
  jobs_ = new MainJobs(*this);
  actions_->update();
  side_->focus_devices();
}

MainWindow::~MainWindow() = default;

void MainWindow::start() {
  watch_->start();
  for (int row = 0; row < images_->rowCount(); ++row) images_->at(row)->inspect();
  jobs_->find_kept();
}

void MainWindow::make_pages() {
  welcome_ = new WelcomePage;
  device_view_ = new DeviceView(*queue_, *images_, *device_log_);
  compare_page_ = new ComparePage(*images_, *devices_, *queue_);
  image_view_ = new ImageView(compare_page_, *exports_, *queue_);
  job_view_ = new JobView;
  history_page_ = new HistoryPage(*history_);
  overlay_ = new DropOverlay;
  for (QWidget* page :
       std::initializer_list<QWidget*>{welcome_, device_view_, image_view_, job_view_, history_page_, overlay_})
    stack_->addWidget(page);
}

void MainWindow::connect_pages() {
  connect(watch_, &DeviceWatch::changed, this, &MainWindow::set_devices);
  connect(images_, &ImageModel::dataChanged, actions_, &MainActions::update);
  connect(side_, &SidePane::device_chosen, this, &MainWindow::show_device);
  connect(side_, &SidePane::image_chosen, this, &MainWindow::show_image);
  connect(side_, &SidePane::dropped, this, &MainWindow::open);
  connect(side_, &SidePane::dropped_on, this, &MainWindow::convert_dropped);
  connect(side_, &SidePane::open_wanted, this, &MainWindow::choose_files);
  connect(side_, &SidePane::make_image_wanted, flow_, &ConversionFlow::make_image_of);
  connect(side_, &SidePane::unmount_wanted, this, &MainWindow::unmount);
  connect(side_, &SidePane::image_closed, this, [this](const ImagePtr& image) {
    if (image_view_->image() == image) show_page(welcome_);
  });
  connect(welcome_, &WelcomePage::open_wanted, this, &MainWindow::choose_files);
  connect(welcome_, &WelcomePage::dropped, this, &MainWindow::open);
  connect(overlay_, &DropOverlay::inspect, this, &MainWindow::open);
  connect(overlay_, &DropOverlay::convert, this, [this](const QList<QUrl>& urls) { convert_dropped(urls, nullptr); });
  connect(&device_view_->zero(), &ZeroPage::zero_wanted, flow_, &ConversionFlow::confirm);
  connect(&device_view_->sweep(), &SweepPage::write_wanted, flow_, &ConversionFlow::confirm);
  connect(device_view_, &DeviceView::unmount_wanted, this, &MainWindow::unmount);
  connect(history_page_, &HistoryPage::again, this, [this](const History::Entry& entry) {
    const ImagePtr source = source_at(entry.source);
    if (source && entry.source != entry.target) flow_->again(source, entry);
  });
  connect(jobs_pane_, &JobsPane::history_wanted, this, [this] { show_page(history_page_); });
  connect(jobs_pane_, &JobsPane::export_chosen, this, [this](const ImagePtr& image) {
    show_image(image);
    image_view_->show_export();
  });
}

void MainWindow::show_page(QWidget* page) {
  stack_->setCurrentWidget(page);
  if (page != device_view_) side_->unchoose_device();
  if (page != image_view_) side_->unchoose_image();
  actions_->update();
}

void MainWindow::show_device(const DevicePtr& device) {
  device_view_->set_device(device);
  show_page(device_view_);
}

void MainWindow::show_image(const ImagePtr& image) {
  image_view_->set_image(image);
  show_page(image_view_);
}

void MainWindow::show_job(QueuedJob* job) {
  job_view_->set_job(job, image_of(job->request().source));
  job_view_->show_page(0);
  show_page(job_view_);
}

ImagePtr MainWindow::image_of(const QString& path) const {
  const int row = images_->row_of(path);
  return row < 0 ? nullptr : images_->at(row);
}

ImagePtr MainWindow::current_image() const {
  if (stack_->currentWidget() == image_view_) return image_view_->image();
  if (stack_->currentWidget() == job_view_ && job_view_->job()) return image_of(job_view_->job()->request().source);
  return nullptr;
}

DevicePtr MainWindow::current_device() const {
  return stack_->currentWidget() == device_view_ ? device_view_->device() : nullptr;
}

ImagePtr MainWindow::source_at(const QString& path) {
  for (const DevicePtr& device : devices_->devices())
    if (path == QString::fromStdString(device->disk.node)) return std::make_shared<OpenImage>(device);
  const int row = open_one(QUrl::fromLocalFile(path));
  return row < 0 ? nullptr : images_->at(row);
}

void MainWindow::set_devices(const DeviceList& devices) {
  const DevicePtr shown = device_view_->device();
  devices_->set_devices(devices);
  if (!shown) return;
  for (const DevicePtr& device : devices)
    if (same_device(device->disk, shown->disk)) return device_view_->set_device(device);
  side_->unchoose_device();
  device_view_->set_vanished();
  actions_->update();
}

void MainWindow::choose_files() {
  open(QFileDialog::getOpenFileUrls(this, tr("Open Disk Images"), {}, FormatWords::file_filter()));
}

int MainWindow::open_one(const QUrl& url) {
  const QString path = url.toLocalFile();
  if (path.isEmpty() || !QFileInfo(path).isFile()) {
    show_problem(this, tr("It was not opened"), tr("%1 is not a file on this computer.").arg(url.toDisplayString()));
    return -1;
  }
  const int known = images_->row_of(QFileInfo(path).absoluteFilePath());
  const int row = images_->open(path);
  if (known < 0) images_->at(row)->inspect();
  return row;
}

void MainWindow::open(const QList<QUrl>& urls) {
  end_drag();
  int row = -1;
  for (const QUrl& url : urls) row = std::max(row, open_one(url));
  if (row >= 0) side_->choose_image(row);
}

void MainWindow::convert_dropped(const QList<QUrl>& urls, const DevicePtr& device) {
  open(urls);
  const ImagePtr image = current_image();
  if (!image) return;
  // What the dialog offers depends on what the image is.
  if (image->state() == OpenImage::State::reading) {
    connect(
        image.get(), &OpenImage::changed, this,
        [this, image, device] {
          if (image->state() != OpenImage::State::ready) return;
          device ? flow_->begin_on(image, device) : flow_->begin(image, ConversionFlow::Where::file);
        },
        Qt::SingleShotConnection);
    return;
  }
  if (image->state() == OpenImage::State::ready)
    device ? flow_->begin_on(image, device) : flow_->begin(image, ConversionFlow::Where::file);
}

void MainWindow::unmount(const DevicePtr& device) {
  DiskService::unmount(*device, this, [this](const QString& why) {
    if (!why.isEmpty()) show_problem(this, tr("It is still mounted"), why);
    watch_->look_again();
  });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  event->acceptProposedAction();
  if (stack_->currentWidget() == overlay_) return;
  before_drag_ = stack_->currentWidget();
  overlay_->set_files(event->mimeData()->urls());
  stack_->setCurrentWidget(overlay_);
  side_->set_dragging(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { end_drag(); }

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  open(event->mimeData()->urls());
}

void MainWindow::end_drag() {
  side_->set_dragging(false);
  if (before_drag_ && stack_->currentWidget() == overlay_) stack_->setCurrentWidget(before_drag_);
  before_drag_ = nullptr;
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  side_->fit_to(width());
  jobs_pane_->set_compact(height() < low_below);
  QMainWindow::resizeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings().setValue(geometry_key, saveGeometry());
  jobs_->closing(event);
}

void MainWindow::show_again() {
  jobs_->stay();
  show();
  raise();
  activateWindow();
}

}  // namespace disklathe::ui
