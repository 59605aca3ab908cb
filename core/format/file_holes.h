// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"

namespace disklathe {

// Finds data that an image has and its sparse file does not: preallocated clusters mostly. They read as zeroes, and
// need not be read. Knows one file; remembers its last run, so that a file without holes is asked once.
class FileHoles {
 public:
  // Appends the data extent to out, zero where the file has a hole; no more of it than fits max_extents behind first.
  Result<void> append_split(BlockDevice& file, const Extent& data, size_t first, size_t max_extents,
                            std::vector<Extent>& out);

 private:
  Allocation run_;  // empty at first
};

}  // namespace disklathe
