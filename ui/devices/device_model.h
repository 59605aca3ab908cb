// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QHash>

#include "ui/devices/device.h"

namespace disklathe::ui {

// The rows of the devices pane. A look that finds a device again keeps its row, so that a choice follows the device and
// never its place; what is not the same device any more is a new row.
class DeviceModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  void set_devices(const DeviceList& devices);
  void set_progress(const QString& node, double share);  // below 0: no job
  DevicePtr at(int row) const { return devices_.at(static_cast<size_t>(row)); }
  const DeviceList& devices() const { return devices_; }

 Q_SIGNALS:
  void vanished(const disklathe::ui::DevicePtr& device);

 private:
  DeviceList devices_;
  QHash<QString, double> progress_;
};

}  // namespace disklathe::ui
