// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/layout.h"
#include "core/format/table_cache.h"

namespace disklathe::qcow2 {

// The refcounts of an image, as its refcount table and blocks tell them. One thread.
class StoredRefcounts {
 public:
  // The header's refcount table lies inside the file.
  StoredRefcounts(BlockDevice& file, const Header& header);

  // Of a host cluster; 0 where no block counts it, or the block cannot be.
  Result<uint64_t> of(uint64_t cluster);

  uint64_t clusters_per_block() const { return per_block_; }

 private:
  BlockDevice& file_;
  const uint64_t cluster_size_, table_at_, table_entries_, per_block_, per_slice_;
  const uint32_t order_;
  TableCache tables_;
  uint64_t first_ = 1, end_ = 0;  // the clusters that the slice counts
  TableCache::Slice slice_;       // null: no block counts them
  uint64_t slice_skip_ = 0;       // bytes of it before them
};

}  // namespace disklathe::qcow2
