// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

#include "core/device/identify.h"
#include "ui/devices/device.h"

class QPushButton;

namespace disklathe::ui {

class FactTable;
class TextLabel;
class WorkerJob;

// What a disk says of itself (docs/adr/0026). It is asked when a person says so, never before: whose disk it is not is
// asked for a password.
class DiskAnswers : public QWidget {
  Q_OBJECT
 public:
  explicit DiskAnswers(QWidget* parent = nullptr);
  ~DiskAnswers() override;
  void set_device(const DevicePtr& device);  // of another one nothing is known yet
  void show_answers(const std::optional<Identified>& disk);

 private:
  void ask();
  void stop();
  void say(const QString& words, bool bad);

  DevicePtr device_;
  QPointer<WorkerJob> job_;
  TextLabel* state_;
  QPushButton* ask_;
  FactTable* table_;
  TextLabel* rest_;
};

}  // namespace disklathe::ui
