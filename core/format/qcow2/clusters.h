// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/entry_table.h"
#include "core/format/qcow2/table_store.h"

namespace disklathe::qcow2 {

// The host clusters of a new image: handed out from the start of the file to its end, never taken back, each with its
// refcount. Refcount blocks are made as the file reaches clusters that none counts yet; the refcount table has its
// place and its final size from the start. Not thread-safe.
class Clusters {
 public:
  // most_bytes: what the image can grow to without its refcount blocks, for the size of the refcount table.
  Clusters(BlockDevice& file, TableStore& tables, uint32_t cluster_bits, uint32_t refcount_order, uint64_t most_bytes);

  // Takes the clusters of the header and of the refcount table; before anything else.
  Result<void> begin();

  // Contiguous clusters for that many bytes, at end(); each starts with this refcount (0 or 1).
  Result<uint64_t> allocate(uint64_t bytes, uint64_t refcount = 1);

  // The first host byte that was never handed out: a multiple of the cluster size.
  uint64_t end() const { return end_; }

  Result<uint64_t> refcount(uint64_t host);
  // One more reference to every cluster that these bytes touch.
  Result<void> add_reference(Range host);

  // Says that the last cluster is used up to here only, for the size of the file.
  void used_to(uint64_t host);
  // Bytes of the file that are used, in whole sectors.
  uint64_t used_bytes() const;

  uint64_t table_offset() const { return cluster_size_; }
  uint32_t table_clusters() const { return table_clusters_; }
  Result<void> write_table(bool sparse) const;

 private:
  // Sets the refcounts of clusters [first, end) to a value, making the blocks that are missing.
  Result<void> count(uint64_t first, uint64_t end, uint64_t value);

  BlockDevice& file_;
  TableStore& tables_;
  uint64_t cluster_size_;
  uint32_t refcount_order_;
  uint64_t per_block_;  // clusters that one refcount block counts
  uint32_t table_clusters_;
  EntryTable table_;
  uint64_t blocks_ = 0;          // entries of the table that are in use, from its start
  uint64_t written_blocks_ = 0;  // of these, the ones that the store knows
  uint64_t end_ = 0, used_ = 0;  // bytes
};

}  // namespace disklathe::qcow2
