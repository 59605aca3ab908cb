// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/limit_report.h"
#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/jobs/job_queue.h"
#include "ui/pictures/sweep_plot.h"

class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace disklathe::ui {

class TextLabel;

// What a device makes of the size of requests: measured by reading, which changes nothing; the last run of the same
// device under it.
class SweepPage : public Page {
  Q_OBJECT
 public:
  explicit SweepPage(JobQueue& queue, QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_limits(const Limits& limits);
  void show_run(const SweepRun& run, const std::optional<SweepRun>& saved);

 private:
  void run();
  void show_job();
  void show_intent();
  void add_fact(const QString& title, const QString& words);
  void show_facts();
  void save_as();

  JobQueue& queue_;
  DevicePtr device_;
  QPointer<QueuedJob> job_;
  SweepRun run_;
  std::optional<SweepRun> saved_;
  QComboBox* depth_;
  TextLabel* intent_;
  QPushButton* export_;
  QPushButton* go_;
  TextLabel* empty_;
  QWidget* result_;
  SweepPlot* plot_;
  TextLabel* best_size_;
  QVBoxLayout* facts_;
};

}  // namespace disklathe::ui
