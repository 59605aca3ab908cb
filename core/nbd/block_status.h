// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/nbd/terms.h"

namespace disklathe::nbd {

// The contexts an image has, in the order of ExportInfo::contexts.
inline constexpr const char* allocation_context = "base:allocation";
// qemu: docs/interop/nbd.rst
inline constexpr const char* depth_context = "qemu:allocation-depth";
inline constexpr const char* bitmap_context = "qemu:dirty-bitmap:";  // and then the bitmap's name

// Appends the whole reply to a block status request that passed check(): one chunk a selected context. It tells of a
// prefix of what was asked about, as far as a bounded look at the map goes. After an error nothing was appended.
Result<void> append_block_status(Access& access, const Terms& terms, const Request& request,
                                 std::vector<std::byte>& output);

}  // namespace disklathe::nbd
