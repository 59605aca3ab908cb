// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <memory>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/identity.h"
#include "core/device/usage.h"

namespace disklathe::ui {

// A disk of this machine and who uses it, at the moment of a look. Immutable and shared between threads.
struct Device {
  Disk disk;
  Usage usage;
  std::vector<Usage> partition_usage;  // beside disk.partitions
};
using DevicePtr = std::shared_ptr<const Device>;
using DeviceList = std::vector<DevicePtr>;

// The same device with the same medium: by number, sequence, serial, world wide name and size; a name alone is given to
// the next one.
bool same_device(const Disk& a, const Disk& b);
// Whether what has been opened, or is at a node now, is the disk that was looked at.
bool is_still(const Disk& disk, const Identity& now);

}  // namespace disklathe::ui

Q_DECLARE_METATYPE(disklathe::ui::DeviceList)
