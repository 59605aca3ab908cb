// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe {

// The name of a backing file as qcow and QED store it: bytes without a zero byte at their end. field: the offset of the
// field that says where it is, which is what errors tell (operation "open", kind corrupt).
Result<std::string> read_stored_name(BlockDevice& file, Range where, uint64_t field);

inline constexpr uint64_t max_stored_name = 1023;  // bytes, as in QEMU

}  // namespace disklathe
