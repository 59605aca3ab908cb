// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QUrl>

#include "ui/devices/device.h"
#include "ui/images/image_model.h"

class QStackedWidget;

namespace disklathe::ui {

class ComparePage;
class ConversionFlow;
class DeviceLog;
class DeviceModel;
class DeviceView;
class DeviceWatch;
class DropOverlay;
class Exports;
class History;
class HistoryPage;
class ImageView;
class JobQueue;
class JobsPane;
class JobView;
class MainActions;
class MainJobs;
class QueuedJob;
class SidePane;
class WelcomePage;

// The window: tools above, devices and images at the side, pages in the middle, jobs below.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  // Begins to look at the machine: devices come and go from here on, and jobs that went on without a window show.
  void start();
  void set_devices(const DeviceList& devices);

  // Files as the command line, the launcher or a drop names them.
  void open(const QList<QUrl>& urls);
  void choose_files();
  void show_job(QueuedJob* job);
  void show_again();  // from the background, or in front of other windows
  DeviceModel& devices() { return *devices_; }
  ImageModel& images() { return *images_; }
  JobQueue& queue() { return *queue_; }
  ConversionFlow& flow() { return *flow_; }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  friend class MainActions;
  friend class MainJobs;
  void make_pages();
  void connect_pages();
  void show_device(const DevicePtr& device);
  void show_image(const ImagePtr& image);
  void show_page(QWidget* page);
  ImagePtr current_image() const;
  DevicePtr current_device() const;
  ImagePtr image_of(const QString& path) const;  // null: not open
  // What a job read, to do it again: opened where it is a file. Null: it is not there, and that was said.
  ImagePtr source_at(const QString& path);
  void end_drag();
  int open_one(const QUrl& url);
  void convert_dropped(const QList<QUrl>& urls, const DevicePtr& device);
  void unmount(const DevicePtr& device);

  DeviceWatch* watch_;
  DeviceModel* devices_;
  ImageModel* images_;
  JobQueue* queue_;
  Exports* exports_;
  DeviceLog* device_log_;
  History* history_;
  ConversionFlow* flow_;
  MainActions* actions_;
  MainJobs* jobs_ = nullptr;
  SidePane* side_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  DeviceView* device_view_ = nullptr;
  ImageView* image_view_ = nullptr;
  ComparePage* compare_page_ = nullptr;
  JobView* job_view_ = nullptr;
  HistoryPage* history_page_ = nullptr;
  DropOverlay* overlay_ = nullptr;
  JobsPane* jobs_pane_ = nullptr;
  QWidget* before_drag_ = nullptr;
};

}  // namespace disklathe::ui
