// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/vhdx/layout.h"
#include "core/format/vhdx/replayed_file.h"

namespace disklathe::vhdx {

// All that an image says of itself, its tables excepted: what reading and checking begin with.
struct ImageMetadata {
  Header header;
  Regions regions;
  Disk disk;
  Parent parent;                           // of a disk that has one
  std::unique_ptr<ReplayedFile> replayed;  // null: the log is empty
  std::vector<Range> reserved;             // parts of the file that are no block's
  std::vector<std::string> warnings;
};

// Both headers, the log, both region tables, the metadata; and that the regions lie inside the file, apart from each
// other, and have room for what they hold. Errors: corrupt or unsupported; operation "open", offset of the field.
Result<ImageMetadata> read_metadata(BlockDevice& file);

}  // namespace disklathe::vhdx
