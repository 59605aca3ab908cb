// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe {

// Makes a new image's file at least that long, and mostly longer, so that placing costs a system call only now and
// then; finish() cuts it. `no_space` on a device that is too small.
Result<void> grow_file(BlockDevice& file, uint64_t size);

// Cuts the file to the bytes that are used; nothing on a device.
Result<void> cut_file(BlockDevice& file, uint64_t size);

// An image that is here already must not be taken for the new one while its bytes are overwritten: clears its head.
// Nothing where the file reads as zeroes.
Result<void> forget_old_image(BlockDevice& file, uint64_t head, bool target_is_zero);

}  // namespace disklathe
