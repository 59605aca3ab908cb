// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

struct Bitmap {
  std::string name;
  uint64_t granularity = 0;  // bytes
  bool in_use = false, automatic = false;
  uint64_t table_offset = 0;   // as the directory says: not checked
  uint32_t table_entries = 0;  // likewise
};

// The bitmap directory that header.bitmaps points to. Errors: corrupt, operation "open".
Result<std::vector<Bitmap>> read_bitmaps(BlockDevice& file, const Header& header);

}  // namespace disklathe::qcow2
