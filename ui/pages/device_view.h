// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/devices/device.h"
#include "ui/pages/thing_view.h"

namespace disklathe::ui {

class LimitsPage;
class JobQueue;
class PartitionsPage;
class SweepPage;
class ZeroPage;

// One device. Follows it while it is looked at; says so when it is gone.
class DeviceView : public ThingView {
  Q_OBJECT
 public:
  explicit DeviceView(JobQueue& queue, QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_vanished();
  const DevicePtr& device() const { return device_; }
  LimitsPage& limits() { return *limits_; }
  SweepPage& sweep() { return *sweep_; }
  ZeroPage& zero() { return *zero_; }

 Q_SIGNALS:
  void unmount_wanted(const disklathe::ui::DevicePtr& device);

 private:
  void show_state();

  DevicePtr device_;
  LimitsPage* limits_;
  PartitionsPage* partitions_;
  SweepPage* sweep_;
  ZeroPage* zero_;
};

}  // namespace disklathe::ui
