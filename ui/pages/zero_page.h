// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/limits.h"
#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/jobs/job_queue.h"

class QComboBox;
class QPushButton;

namespace disklathe::ui {

class MethodBars;
class TextLabel;
struct Erasure;

// The ways to make a device read as zeroes: how long each takes, as far as that was measured, and what it promises.
class ZeroPage : public Page {
  Q_OBJECT
 public:
  explicit ZeroPage(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_limits(const Limits& reported);
  // What a zeroing of a device took, to be shown the next time: also of one that was stopped on the way.
  static void remember(const QueuedJob& job);

 Q_SIGNALS:
  void zero_wanted(const QString& node, const disklathe::ui::Erasure& erasure,
                   const disklathe::ui::JobRequest& request);

 private:
  void show_methods();
  void begin();

  DevicePtr device_;
  Limits limits_;
  QComboBox* method_;
  QPushButton* go_;
  TextLabel* why_not_;
  MethodBars* bars_;
};

}  // namespace disklathe::ui
