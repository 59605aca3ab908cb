// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/devices/device.h"
#include "ui/images/image_model.h"
#include "ui/pages/thing_view.h"

namespace disklathe::ui {

class DeviceContentsPage;
class DeviceLog;
class LimitsPage;
class LogPage;
class JobQueue;
class PartitionsPage;
class SweepPage;
class ZeroPage;

// One device. Follows it while it is looked at; says so when it is gone.
class DeviceView : public ThingView {
  Q_OBJECT
 public:
  DeviceView(JobQueue& queue, ImageModel& images, DeviceLog& log, QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_vanished();
  const DevicePtr& device() const { return device_; }
  LimitsPage& limits() { return *limits_; }
  SweepPage& sweep() { return *sweep_; }
  ZeroPage& zero() { return *zero_; }

  enum class Tab : uint8_t { contents, limits, partitions, sweep, zero, log };
  void show_tab(Tab tab) { show_page(static_cast<int>(tab)); }

 Q_SIGNALS:
  void unmount_wanted(const disklathe::ui::DevicePtr& device);

 private:
  void show_state();
  void show_log();

  DevicePtr device_;
  DeviceLog& log_;
  DeviceContentsPage* contents_;
  LimitsPage* limits_;
  PartitionsPage* partitions_;
  SweepPage* sweep_;
  ZeroPage* zero_;
  LogPage* log_page_;
};

}  // namespace disklathe::ui
