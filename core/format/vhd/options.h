// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"
#include "core/format/vhd/layout.h"

namespace disklathe::vhd {

// -o of a new disk, with qemu-img's names and defaults.
struct CreateOptions {
  DiskType type = DiskType::dynamic;
  bool force_size = false;
};

const std::vector<OptionInfo>& create_options();

// Error: invalid, operation "create".
Result<CreateOptions> parse_options(const FormatOptions& given);

// What the new disk's size and geometry are, for at least `size` bytes. By default the next size that a geometry can
// say, as Virtual PC goes by that; with force_size the next MiB, which is what Azure takes. Error: invalid, when it
// would be larger than the format can be.
struct DiskShape {
  uint64_t size = 0;  // bytes
  Geometry geometry;
};
Result<DiskShape> shape_of(uint64_t size, const CreateOptions& options);

}  // namespace disklathe::vhd
