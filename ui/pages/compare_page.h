// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"

class QComboBox;
class QCheckBox;
class QLabel;
class QPushButton;

namespace disklathe::ui {

class AllocationMap;
class DeviceModel;
class TextLabel;

// Whether an image holds the same disk as another one, or as a device: both maps on one scale, and the first byte that
// differs.
class ComparePage : public Page {
  Q_OBJECT
 public:
  ComparePage(ImageModel& images, DeviceModel& devices, JobQueue& queue, QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);
  void set_other(const QString& path);  // of an open image, or a device's node

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill_choices();
  void compare();
  void show_job();
  void show_maps();

  ImageModel& images_;
  DeviceModel& devices_;
  JobQueue& queue_;
  ImagePtr image_, other_;  // other_: null for a device
  QString other_path_;
  QPointer<QueuedJob> job_;
  QComboBox* choice_;
  QCheckBox* strict_;
  QPushButton* go_;
  Card* verdict_;
  QLabel* sign_;
  TextLabel* sentence_;
  TextLabel* meaning_;
  TextLabel* first_name_;
  TextLabel* second_name_;
  AllocationMap* first_;
  AllocationMap* second_;
};

}  // namespace disklathe::ui
