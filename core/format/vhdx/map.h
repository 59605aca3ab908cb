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
#include "core/format/vhdx/layout.h"
#include "core/format/vhdx/replayed_file.h"

namespace disklathe::vhdx {

// Where the guest's bytes are: BAT and sector bitmaps, read slice by slice.
class Map {
 public:
  // A call stops after this many extents, or after this many slices of tables.
  static constexpr size_t max_extents = 512;
  static constexpr size_t max_slices = 256;

  // The BAT lies inside the file and has entries for the whole disk. metadata: the file, or as its log leaves it;
  // patches: of that log, null without one. reserved: parts of the file where no block can be.
  Map(const Disk& disk, uint64_t bat_at, std::vector<Range> reserved, BlockDevice& file, BlockDevice& metadata,
      const Patches* patches, std::shared_ptr<TableCache> tables);

  // As ImageReader::map().
  Result<void> walk(Range want, std::vector<Extent>& out) const;

  // What is wrong with where a block of this many bytes begins; empty: nothing.
  std::string_view misplaced(uint64_t host, uint64_t length) const;

 private:
  class Walk;

  const Disk disk_;
  const uint64_t bat_at_;
  const std::vector<Range> reserved_;
  const uint64_t file_size_, replayed_size_;
  BlockDevice& metadata_;
  const Patches* patches_;
  const std::shared_ptr<TableCache> tables_;
};

}  // namespace disklathe::vhdx
