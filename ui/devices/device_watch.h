// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include "ui/devices/device.h"

namespace disklathe::ui {

// Looks at the machine's disks on a thread of its own: once at the start, and whenever one comes, goes or changes, or
// something is mounted. Needs no rights.
class DeviceWatch : public QObject {
  Q_OBJECT
 public:
  explicit DeviceWatch(QObject* parent = nullptr);
  ~DeviceWatch() override;
  void start();
  void look_again();

 Q_SIGNALS:
  void changed(const disklathe::ui::DeviceList& devices);
  void failed(const QString& why);

 private:
  class Looker;
  QThread thread_;
  Looker* looker_;
};

}  // namespace disklathe::ui
