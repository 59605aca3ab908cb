// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/devices/device.h"

namespace disklathe::ui {

class OpenImage;

// The disk that a guest of the image sees, for whoever draws disks: its partitions, and what begins in each. Nobody
// uses it. Null: not known, as files it stands on were not opened.
DevicePtr disk_in(const OpenImage& image);

}  // namespace disklathe::ui
