// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"
#include "core/format/table_cache.h"
#include "core/format/vhd/layout.h"

namespace disklathe::vhd {

// Where the guest's bytes are in a dynamic or differencing disk: BAT and sector bitmaps, read slice by slice.
class Map {
 public:
  // A call stops after this many extents, or after this many slices of tables.
  static constexpr size_t max_extents = 512;
  static constexpr size_t max_slices = 256;

  // The BAT lies inside the file and has entries for the whole disk. differencing: what is not stored is a hole,
  // otherwise it is zero. reserved: parts of the file where no block can be.
  Map(const DynamicHeader& header, uint64_t disk_size, bool differencing, std::vector<Range> reserved,
      BlockDevice& file, std::shared_ptr<TableCache> tables);

  // As ImageReader::map().
  Result<void> walk(Range want, std::vector<Extent>& out) const;

 private:
  class Walk;

  const uint64_t bat_at_, block_size_, bitmap_size_, disk_size_;
  const bool differencing_;
  const std::vector<Range> reserved_;
  BlockDevice& file_;
  const uint64_t file_size_;
  const std::shared_ptr<TableCache> tables_;
};

}  // namespace disklathe::vhd
