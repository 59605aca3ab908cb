// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

// Reads the first cluster and parses it. Blocking; at most 2 MiB.
Result<Header> read_header(BlockDevice& file);

}  // namespace disklathe::qcow2
