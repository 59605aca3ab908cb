// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIdentityProxyModel>
#include <QListView>
#include <QWidget>

#include "ui/devices/device.h"

namespace disklathe::ui {

class DeviceModel;
class TextLabel;

// The devices as targets: one that cannot be written, or is too small, cannot be chosen, and says why.
class TargetModel : public QIdentityProxyModel {
  Q_OBJECT
 public:
  explicit TargetModel(DeviceModel& devices, QObject* parent = nullptr);
  void set_needed(uint64_t bytes, const QString& source);  // source: cannot be its own target
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QString why_not(int row) const;  // empty: it can be chosen
  DevicePtr at(int row) const;

 private:
  DeviceModel& devices_;
  uint64_t needed_ = 0;
  QString source_;
};

// A list to choose a device to be written from. Nothing is ever chosen for the person; what vanishes or is taken into
// use meanwhile is not chosen any more.
class DevicePicker : public QWidget {
  Q_OBJECT
 public:
  explicit DevicePicker(DeviceModel& devices, QWidget* parent = nullptr);
  void set_needed(uint64_t bytes, const QString& source);
  DevicePtr chosen() const { return chosen_; }
  // For a drop on a device: the row is shown as if it had been clicked. Only what can be chosen.
  void choose(const DevicePtr& device);
  TargetModel& targets() { return *targets_; }

 Q_SIGNALS:
  void changed();

 private:
  void take_choice();
  void let_go(const QModelIndex& parent, int first, int last);
  void check_choice();

  TargetModel* targets_;
  QListView* list_;
  TextLabel* hint_;
  DevicePtr chosen_;
};

}  // namespace disklathe::ui
