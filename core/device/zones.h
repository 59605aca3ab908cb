// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/range.h"
#include "core/base/result.h"

namespace disklathe {

// The first byte of the range, on the block device open as `fd`, that lies in a zone which can only be written from its
// start on; nothing: all of the range takes writes in any order, as a device without zones does. Such a device may have
// conventional zones, mostly its first. Errors: the kernel does not tell (BLKREPORTZONE, linux/blkzoned.h).
Result<std::optional<uint64_t>> first_sequential_byte(int fd, Range range);

}  // namespace disklathe
