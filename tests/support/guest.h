// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"
#include "core/format/image_reader.h"

namespace disklathe::test {

// All extents of a range, map() called until the end of it. What a reader promises of its answers (they cover the
// range in order, none is empty or reaches outside) is checked: a broken promise is an error of kind invalid.
Result<std::vector<Extent>> map_all(ImageReader& reader, Range range);

// The bytes of a range of the guest's disk, read the plainest way there is. `file` gives the files that extents name.
// Encrypted extents are an error of kind unsupported.
Result<std::vector<std::byte>> read_guest(ImageReader& reader, Range range,
                                          const std::function<BlockDevice&(uint16_t index)>& file);

}  // namespace disklathe::test
