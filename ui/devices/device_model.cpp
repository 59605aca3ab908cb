// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devices/device_model.h"

#include <algorithm>

#include "ui/panes/side_list.h"
#include "ui/words/device_words.h"

namespace disklathe::ui {

int DeviceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(devices_.size());
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Device& device = *at(index.row());
  const QString node = QString::fromStdString(device.disk.node);
  switch (role) {
    case Qt::DisplayRole: return DeviceWords::name(device.disk);
    case Qt::ToolTipRole: return DeviceWords::why_not_written(device);
    case Qt::AccessibleDescriptionRole:
      return QStringList(
                 {DeviceWords::detail(device.disk), DeviceWords::badge(device), DeviceWords::why_not_written(device)})
          .filter(QRegularExpression(QStringLiteral(".")))
          .join(QStringLiteral(", "));
    case side_glyph: return static_cast<int>(DeviceWords::glyph(device.disk));
    case side_detail: return DeviceWords::detail(device.disk);
    case side_badge: return progress_.contains(node) ? QString() : DeviceWords::badge(device);
    case side_locked: return device.usage.system;
    case side_progress: return progress_.contains(node) ? QVariant(progress_.value(node)) : QVariant();
    case side_target: return DeviceWords::why_not_written(device).isEmpty();
    case side_key: return node;
    default: return {};
  }
}

void DeviceModel::set_devices(const DeviceList& devices) {
  const auto has = [](const DeviceList& list, const Disk& disk) {
    return std::ranges::any_of(list, [&](const DevicePtr& other) { return same_device(other->disk, disk); });
  };
  for (size_t row = devices_.size(); row-- > 0;) {
    const DevicePtr old = devices_[row];
    if (has(devices, old->disk)) continue;
    beginRemoveRows({}, static_cast<int>(row), static_cast<int>(row));
    devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(row));
    endRemoveRows();
    Q_EMIT vanished(old);
  }
  for (size_t row = 0; row < devices.size(); ++row) {
    if (row < devices_.size() && same_device(devices_[row]->disk, devices[row]->disk)) {
      devices_[row] = devices[row];
      continue;
    }
    // Devices keep their order, so one that is elsewhere was not there yet.
    if (has(devices_, devices[row]->disk)) {
      beginResetModel();
      devices_ = devices;
      endResetModel();
      return;
    }
    beginInsertRows({}, static_cast<int>(row), static_cast<int>(row));
    devices_.insert(devices_.begin() + static_cast<std::ptrdiff_t>(row), devices[row]);
    endInsertRows();
  }
  if (!devices_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

void DeviceModel::set_progress(const QString& node, double share) {
  if (share < 0)
    progress_.remove(node);
  else
    progress_[node] = share;
  if (!devices_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {side_progress, side_badge});
}

}  // namespace disklathe::ui
