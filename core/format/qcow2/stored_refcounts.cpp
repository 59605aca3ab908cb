// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/stored_refcounts.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow2/refcount_block.h"

namespace disklathe::qcow2 {
namespace {

constexpr size_t cache_capacity = 1 << 20;  // bytes

}  // namespace

StoredRefcounts::StoredRefcounts(BlockDevice& file, const Header& header)
    : file_(file),
      cluster_size_(header.cluster_size()),
      table_at_(header.refcount_table_offset),
      table_entries_(header.refcount_table_clusters * cluster_size_ / refcount_table_entry_size),
      per_block_((cluster_size_ * 8) >> header.refcount_order),
      per_slice_((std::min(cluster_size_, TableCache::slice_size) * 8) >> header.refcount_order),
      order_(header.refcount_order),
      tables_(cache_capacity) {}

Result<uint64_t> StoredRefcounts::of(uint64_t cluster) {
  if (cluster < first_ || cluster >= end_) {
    first_ = round_down(cluster, per_slice_);
    end_ = first_ + per_slice_;
    slice_ = nullptr;
    const uint64_t index = cluster / per_block_;
    if (index >= table_entries_) return 0;
    const uint64_t entry_at = table_at_ + index * refcount_table_entry_size;
    auto entries = tables_.slice(file_, entry_at);
    if (!entries) return failure(entries);
    const uint64_t block = load_be<uint64_t>(**entries, entry_at % TableCache::slice_size) & refcount_table_offset_mask;
    if (block == 0 || !is_multiple(block, cluster_size_) || block > file_.size() ||
        cluster_size_ > file_.size() - block)
      return 0;
    const uint64_t at = block + ((first_ % per_block_) << order_) / 8;
    auto slice = tables_.slice(file_, at);
    if (!slice) return failure(slice);
    slice_ = std::move(*slice);
    slice_skip_ = at % TableCache::slice_size;
  }
  return slice_ ? load_refcount(Bytes(*slice_).subspan(slice_skip_), cluster - first_, order_) : 0;
}

}  // namespace disklathe::qcow2
