// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe::vhdx {

// -o of a new disk, with qemu-img's names and defaults.
struct CreateOptions {
  bool fixed = false;
  uint32_t block_size = 0;        // bytes
  uint32_t log_size = 0;          // bytes
  bool block_state_zero = false;  // blocks that are not stored are said to be zero, and not just not to be there
};

const std::vector<OptionInfo>& create_options();

// size: of the disk, bytes; the default block size follows from it. Error: invalid, operation "create".
Result<CreateOptions> parse_options(const FormatOptions& given, uint64_t size);

}  // namespace disklathe::vhdx
