// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"

namespace disklathe::ui {

class AllocationMap;
class ContentCells;
class Figure;
class MapLegend;
class TextLabel;
class ZoomStrip;

// What is on a device, from its first byte to its last, as far as its tables tell without reading it; while a job
// writes to it what comes in its place, painted as it goes, and afterwards what the job has left.
class DeviceContentsPage : public Page {
  Q_OBJECT
 public:
  DeviceContentsPage(JobQueue& queue, ImageModel& images, QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);

 private:
  void follow(QueuedJob* job);
  void forget_job();
  void show_all();
  void show_figures();
  void show_map();
  void show_progress();
  ContentCells cells_of_job() const;

  JobQueue& queue_;
  ImageModel& images_;
  DevicePtr device_;
  QPointer<QueuedJob> job_;
  Figure* used_;
  Figure* free_;
  Figure* parts_;
  Figure* table_;
  TextLabel* note_;
  MapLegend* legend_;
  ZoomStrip* strip_;
  AllocationMap* map_;
  uint64_t shown_ = 0;     // bytes from the device's start that the map draws
  uint64_t job_ends_ = 0;  // bytes from the device's start that the job writes
};

}  // namespace disklathe::ui
