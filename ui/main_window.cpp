// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSaveFile>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/surfaces.h"
#include "ui/controls/text_label.h"
#include "ui/desktop/disk_service.h"
#include "ui/devices/device_model.h"
#include "ui/devices/device_watch.h"
#include "ui/dialogs/closing_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/flows/conversion_flow.h"
#include "ui/images/open_image.h"
#include "ui/jobs/history.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_actions.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/device_view.h"
#include "ui/pages/history_page.h"
#include "ui/pages/image_view.h"
#include "ui/pages/job_page.h"
#include "ui/pages/job_view.h"
#include "ui/pages/welcome_page.h"
#include "ui/pages/zero_page.h"
#include "ui/panes/drop_zones.h"
#include "ui/panes/jobs_pane.h"
#include "ui/panes/side_list.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {
namespace {

constexpr int side_width = 264, narrow_side_width = 224, narrow_below = 1120, low_below = 720;
const QString geometry_key = QStringLiteral("window/geometry");

TextLabel* side_title(const QString& text) {
  auto* title = new TextLabel(text, Face::section, Ink::window_muted);
  title->setContentsMargins(16, 0, 16, 0);
  title->setFixedHeight(28);
  return title;
}

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
  side_ = make_side();
  middle->addWidget(side_);
  middle->addWidget(new Rule(Qt::Vertical));
  stack_ = new QStackedWidget;
  middle->addWidget(stack_, 1);
  column->addLayout(middle, 1);
  column->addWidget(new Rule);
  jobs_pane_ = new JobsPane(*queue_);
  column->addWidget(jobs_pane_);
  setCentralWidget(all);
  make_pages();
  connect_jobs();
  connect(watch_, &DeviceWatch::changed, this, &MainWindow::set_devices);
  connect(images_, &ImageModel::dataChanged, this, &MainWindow::update_actions);
  update_actions();
  device_list_->setFocus();
}

MainWindow::~MainWindow() = default;

void MainWindow::start() {
  watch_->start();
  for (int row = 0; row < images_->rowCount(); ++row) images_->at(row)->inspect();
}

QWidget* MainWindow::make_side() {
  auto* side = new QWidget;
  side->setFixedWidth(side_width);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 8, 0, 8);
  column->setSpacing(0);
  column->addWidget(side_title(tr("Devices")));
  device_list_ = new SideList(tr("Devices"));
  device_list_->setModel(devices_);
  column->addWidget(device_list_);
  column->addSpacing(16);
  column->addWidget(side_title(tr("Images")));
  image_list_ = new SideList(tr("Images"));
  image_list_->setModel(images_);
  image_list_->setDragEnabled(true);
  column->addWidget(image_list_);
  no_images_ = new TextLabel(tr("None open"), Face::caption, Ink::window_muted);
  no_images_->setContentsMargins(16, 4, 16, 0);
  no_images_->setVisible(images_->rowCount() == 0);
  column->addWidget(no_images_);
  column->addStretch(1);
  connect(device_list_, &SideList::chosen, this,
          [this](const QModelIndex& index) { show_device(devices_->at(index.row())); });
  connect(image_list_, &SideList::chosen, this,
          [this](const QModelIndex& index) { show_image(images_->at(index.row())); });
  connect(image_list_, &SideList::menu_wanted, this, &MainWindow::image_menu);
  connect(device_list_, &SideList::dropped_on, this, [this](const QModelIndex& index, const QList<QUrl>& urls) {
    convert_dropped(urls, devices_->at(index.row()));
  });
  return side;
}

void MainWindow::make_pages() {
  welcome_ = new WelcomePage;
  device_view_ = new DeviceView(*queue_);
  compare_page_ = new ComparePage(*images_, *devices_, *queue_);
  image_view_ = new ImageView(compare_page_);
  job_view_ = new JobView;
  history_page_ = new HistoryPage(*history_);
  overlay_ = new DropOverlay;
  for (QWidget* page :
       std::initializer_list<QWidget*>{welcome_, device_view_, image_view_, job_view_, history_page_, overlay_})
    stack_->addWidget(page);
  connect(welcome_, &WelcomePage::open_wanted, this, &MainWindow::choose_files);
  connect(welcome_, &WelcomePage::dropped, this, &MainWindow::open);
  connect(overlay_, &DropOverlay::inspect, this, &MainWindow::open);
  connect(overlay_, &DropOverlay::convert, this, [this](const QList<QUrl>& urls) { convert_dropped(urls, nullptr); });
  connect(&device_view_->zero(), &ZeroPage::zero_wanted, flow_, &ConversionFlow::confirm);
  connect(device_view_, &DeviceView::unmount_wanted, this, &MainWindow::unmount);
  connect(history_page_, &HistoryPage::again, this, [this](const History::Entry& entry) {
    const int row = open_one(QUrl::fromLocalFile(entry.source));
    if (row >= 0 && entry.source != entry.target) flow_->again(images_->at(row), entry);
  });
}

void MainWindow::connect_jobs() {
  connect(flow_, &ConversionFlow::queued, this, &MainWindow::show_job);
  connect(jobs_pane_, &JobsPane::history_wanted, this, [this] { show_page(history_page_); });
  connect(jobs_pane_, &JobsPane::chosen, this, &MainWindow::show_job);
  connect(queue_, &JobQueue::started, this, [this](QueuedJob* job) {
    if (!job->request().device) return;
    connect(job, &QueuedJob::progressed, this, [this, job] {
      if (job->worker()) devices_->set_progress(job->request().target, job->worker()->progress().share().value_or(0));
    });
  });
  connect(queue_, &JobQueue::removed, this, [this](QueuedJob* job) {
    if (stack_->currentWidget() == job_view_ && job_view_->job() == job) show_page(welcome_);
  });
  connect(queue_, &JobQueue::ended, this, [this](QueuedJob* job) {
    if (job->request().device) devices_->set_progress(job->request().target, -1);
    history_->add(*job);
    if (job->result()->good())
      ZeroPage::remember(job->request(), static_cast<double>(job->began().msecsTo(job->ended_at())) / 1000);
    watch_->look_again();
    if (quitting_ && queue_->running() + queue_->waiting() == 0) QApplication::quit();
  });
  connect(&job_view_->page(), &JobPage::save_report_wanted, this, &MainWindow::save_report);
  connect(&job_view_->page(), &JobPage::eject_wanted, this, [this](const QString& node) {
    DiskService::eject(node, this, [this](const QString& why) {
      if (!why.isEmpty()) show_problem(tr("It was not ejected"), why);
    });
  });
  connect(&job_view_->page(), &JobPage::compare_wanted, this, [this](QueuedJob* job) {
    const ImagePtr image = image_of(job->request().source);
    if (!image) return;
    show_image(image);
    compare_page_->set_other(job->request().target);
    image_view_->show_compare();
  });
}

void MainWindow::show_page(QWidget* page) {
  stack_->setCurrentWidget(page);
  if (page != device_view_) device_list_->selectionModel()->clear();
  if (page != image_view_) image_list_->selectionModel()->clear();
  update_actions();
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

void MainWindow::update_actions() { actions_->update(); }

void MainWindow::set_devices(const DeviceList& devices) {
  const DevicePtr shown = device_view_->device();
  devices_->set_devices(devices);
  if (!shown) return;
  for (const DevicePtr& device : devices)
    if (same_device(device->disk, shown->disk)) return device_view_->set_device(device);
  device_list_->selectionModel()->clear();
  device_view_->set_vanished();
  update_actions();
}

void MainWindow::choose_files() { open(QFileDialog::getOpenFileUrls(this, tr("Open Disk Images"))); }

int MainWindow::open_one(const QUrl& url) {
  const QString path = url.toLocalFile();
  if (path.isEmpty() || !QFileInfo(path).isFile()) {
    show_problem(tr("It was not opened"), tr("%1 is not a file on this computer.").arg(url.toDisplayString()));
    return -1;
  }
  const int known = images_->row_of(QFileInfo(path).absoluteFilePath());
  const int row = images_->open(path);
  if (known < 0) images_->at(row)->inspect();
  no_images_->hide();
  return row;
}

void MainWindow::open(const QList<QUrl>& urls) {
  end_drag();
  int row = -1;
  for (const QUrl& url : urls) row = std::max(row, open_one(url));
  if (row >= 0) image_list_->setCurrentIndex(images_->index(row));
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

void MainWindow::image_menu(const QModelIndex& index, const QPoint& at) {
  QMenu menu(this);
  connect(menu.addAction(tr("&Look Again")), &QAction::triggered, this,
          [image = images_->at(index.row())] { image->inspect(); });
  connect(menu.addAction(tr("&Close")), &QAction::triggered, this, [this, row = index.row()] {
    const bool shown = image_view_->image() == images_->at(row);
    images_->close(row);
    no_images_->setVisible(images_->rowCount() == 0);
    if (shown) show_page(welcome_);
  });
  menu.exec(at);
}

void MainWindow::unmount(const DevicePtr& device) {
  DiskService::unmount(*device, this, [this](const QString& why) {
    if (!why.isEmpty()) show_problem(tr("It is still mounted"), why);
    watch_->look_again();
  });
}

void MainWindow::save_report(QueuedJob* job) {
  for (const History::Entry& entry : history_->entries()) {
    if (entry.when != job->ended_at()) continue;
    const QString path = QFileDialog::getSaveFileName(this, tr("Save Report"), tr("report.txt"));
    QSaveFile file(path);
    if (!path.isEmpty() && file.open(QIODevice::WriteOnly) && file.write(History::report(entry).toUtf8()) >= 0)
      file.commit();
    return;
  }
}

void MainWindow::show_problem(const QString& title, const QString& why) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, title, QMessageBox::Close, this);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(why);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  event->acceptProposedAction();
  if (stack_->currentWidget() == overlay_) return;
  before_drag_ = stack_->currentWidget();
  overlay_->set_files(event->mimeData()->urls());
  stack_->setCurrentWidget(overlay_);
  device_list_->set_dragging(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { end_drag(); }

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  open(event->mimeData()->urls());
}

void MainWindow::end_drag() {
  device_list_->set_dragging(false);
  if (before_drag_ && stack_->currentWidget() == overlay_) stack_->setCurrentWidget(before_drag_);
  before_drag_ = nullptr;
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  side_->setFixedWidth(width() < narrow_below ? narrow_side_width : side_width);
  jobs_pane_->set_compact(height() < low_below);
  QMainWindow::resizeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings().setValue(geometry_key, saveGeometry());
  const int jobs = queue_->running() + queue_->waiting();
  if (!jobs || quitting_) return QMainWindow::closeEvent(event);
  ClosingDialog dialog(*queue_, this);
  switch (dialog.ask()) {
    case ClosingDialog::Choice::cancel: return event->ignore();
    case ClosingDialog::Choice::keep_running:
      event->ignore();
      quit_after_jobs();
      hide();
      return;
    case ClosingDialog::Choice::stop:
      event->ignore();
      quit_after_jobs();
      queue_->stop_all();
      return;
  }
}

// The last job that ends takes the program with it; shown again before, it stays.
void MainWindow::quit_after_jobs() {
  quitting_ = true;
  QApplication::setQuitOnLastWindowClosed(false);
}

void MainWindow::show_again() {
  quitting_ = false;
  QApplication::setQuitOnLastWindowClosed(true);
  show();
  raise();
  activateWindow();
}

}  // namespace disklathe::ui
