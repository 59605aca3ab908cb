// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/option_values.h"

namespace disklathe {

// Takes the space of the range as `mode` says: nothing for off and metadata. After `full` it reads as zeroes.
Result<void> preallocate(BlockDevice& file, Range range, Preallocation mode);

// Writes zeroes, a bounded buffer at a time.
Result<void> write_zeroes_now(BlockDevice& file, Range range);

}  // namespace disklathe
