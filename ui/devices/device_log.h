// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>

#include "ui/devices/device_model.h"
#include "ui/jobs/job_queue.h"

namespace disklathe::ui {

// What happened to each device since this program runs: when it came and went, who took and freed it, and every line of
// the jobs that had to do with it.
class DeviceLog : public QObject {
  Q_OBJECT
 public:
  DeviceLog(DeviceModel& devices, JobQueue& queue, QObject* parent = nullptr);
  QStringList lines_of(const Disk& disk) const { return lines_.value(key_of(disk)); }

 Q_SIGNALS:
  void changed();

 private:
  // Of this device with this medium: a name is given to the next one.
  static QString key_of(const Disk& disk);
  void look();
  void add(const QString& key, const QString& line);
  void follow(QueuedJob* job);

  DeviceModel& devices_;
  QHash<QString, QStringList> lines_;
  QHash<QString, QString> states_;  // what was said of each last
};

}  // namespace disklathe::ui
