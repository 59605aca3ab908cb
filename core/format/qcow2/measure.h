// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe::qcow2 {

// The file size a new image would have, as qemu-img measure counts it: all metadata of the fully allocated image, and
// the clusters that the runs of data touch.
Result<Measured> measure(const MeasureRequest& request);

}  // namespace disklathe::qcow2
