// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/device/target_guard.h"
#include "core/job/spec.h"
#include "ui/devices/device.h"

namespace disklathe::ui {

// What a person asked for: everything that a job needs before it opens a file.
struct JobRequest {
  job::Work work;
  QString source, other, target;  // paths of files or nodes; empty: the work has none
  // The target is a device, and this one: what was chosen and confirmed.
  std::shared_ptr<const ChosenDevice> device;
  DevicePtr read;  // the source is a device, and this one
  // Files that images name, and that may be opened for them: where the names lead.
  QStringList approved;
  QString measures;  // of a sweep: the ID of the disk that it tells of

  job::Kind kind() const { return static_cast<job::Kind>(work.index()); }
  bool writes() const { return !target.isEmpty(); }
  QString source_name() const;  // without the folder; of a device what it is called
  QString target_name() const;  // of a device what it is called
};

}  // namespace disklathe::ui
