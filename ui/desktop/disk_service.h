// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <functional>

#include "ui/devices/device.h"

namespace disklathe::ui {

// What UDisks2 does for a user: unmounting and ejecting, with its own questions of polkit. Calls back with an empty
// text, or why it did not work.
class DiskService {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::DiskService)

 public:
  using Then = std::function<void(const QString& why)>;
  static void unmount(const Device& device, QObject* context, const Then& then);
  static void eject(const QString& node, QObject* context, const Then& then);
};

}  // namespace disklathe::ui
