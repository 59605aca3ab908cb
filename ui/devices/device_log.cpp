// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devices/device_log.h"

#include <QTime>

#include "ui/words/device_words.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {
namespace {

constexpr qsizetype most_lines = 5000;

QString stamped(const QString& line) { return QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + line; }

QString state_of(const Device& device) {
  const QString why = DeviceWords::why_not_written(device);
  const QString content =
      device.disk.partitions.empty()
          ? DeviceWords::content(device.disk.content)
          : DeviceLog::tr("%n partition(s)", nullptr, static_cast<int>(device.disk.partitions.size()));
  return why.isEmpty() ? DeviceLog::tr("Free: %1").arg(content) : DeviceLog::tr("%1 (%2)").arg(why, content);
}

}  // namespace

DeviceLog::DeviceLog(DeviceModel& devices, JobQueue& queue, QObject* parent) : QObject(parent), devices_(devices) {
  connect(&devices, &QAbstractItemModel::rowsInserted, this, &DeviceLog::look);
  connect(&devices, &QAbstractItemModel::modelReset, this, &DeviceLog::look);
  connect(&devices, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
            if (roles.isEmpty()) look();  // else a job's progress
          });
  connect(&devices, &DeviceModel::vanished, this, [this](const DevicePtr& device) {
    const QString key = key_of(device->disk);
    states_.remove(key);
    add(key, stamped(tr("Unplugged, or another medium is in its place")));
  });
  connect(&queue, &JobQueue::started, this, &DeviceLog::follow);
}

QString DeviceLog::key_of(const Disk& disk) {
  return QStringLiteral("%1|%2|%3").arg(QString::fromStdString(disk.node)).arg(disk.diskseq.value_or(0)).arg(disk.size);
}

void DeviceLog::look() {
  for (const DevicePtr& device : devices_.devices()) {
    const QString key = key_of(device->disk), state = state_of(*device);
    QString& before = states_[key];
    if (before == state) continue;
    before = state;
    add(key, stamped(state));
  }
}

void DeviceLog::add(const QString& key, const QString& line) {
  QStringList& lines = lines_[key];
  lines << line;
  if (lines.size() > most_lines) lines.removeFirst();
  Q_EMIT changed();
}

void DeviceLog::follow(QueuedJob* job) {
  for (const DevicePtr& device : devices_.devices()) {
    const QString node = QString::fromStdString(device->disk.node);
    const auto& target = job->request().device;
    const bool written = target && same_device(target->disk, device->disk);
    if (!written && job->request().source != node && job->request().other != node) continue;
    const QString key = key_of(device->disk);
    add(key, stamped(ResultWords::title(job->request())));
    connect(job->worker(), &WorkerJob::logged, this, [this, key](const QString& line) { add(key, line); });
  }
}

}  // namespace disklathe::ui
