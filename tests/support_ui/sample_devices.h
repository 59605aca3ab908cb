// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/identify.h"
#include "core/device/limit_report.h"
#include "ui/devices/device.h"

namespace disklathe::ui::samples {

// A machine as people have it: the system's NVMe, a disk under LVM, a mounted USB disk, a blank card.
DeviceList devices();
DevicePtr usb_disk();   // Samsung T7, mounted
DevicePtr free_disk();  // the same, unmounted
DevicePtr blank_card();
Identified answers();  // of the USB disk, which does not say all
LimitReport limits();  // of the USB disk, with an optimal size that was replaced

}  // namespace disklathe::ui::samples
