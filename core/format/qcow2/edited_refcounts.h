// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/edited_tables.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/occupied.h"

namespace disklathe::qcow2 {

// The refcounts of an image that is changed, and by them the host clusters that are free. Blocks are made where none
// counts a cluster yet; a refcount table that becomes too small moves to a larger place. Not thread-safe.
class EditedRefcounts {
 public:
  EditedRefcounts(BlockDevice& file, EditedTables& tables, Occupied& occupied, const Header& header);

  struct Taken {
    Range host;
    bool zeroed = false;  // they read as zeroes: the file has grown by them
  };
  // Takes free clusters that follow each other, one at least and `most` at most; each has refcount 1 then.
  // Errors: no_space; corrupt, when what is called free is a table of the image.
  Result<Taken> allocate(uint64_t most);

  // Of the cluster that begins there.
  Result<uint64_t> of(uint64_t host);
  // So many references fewer. `corrupt` when there are not that many.
  Result<void> drop(uint64_t host, uint64_t references);

  // Where the refcount table is. It moves when it grows; then the header has to say so.
  struct Table {
    uint64_t offset = 0;
    uint32_t clusters = 0;
    friend bool operator==(const Table&, const Table&) = default;
  };
  Table table() const { return table_; }
  // Former tables, to be dropped when the header names the present one.
  std::vector<Range> take_former_tables() { return std::exchange(former_tables_, {}); }

  uint64_t cluster_size() const { return cluster_size_; }
  // Where that part of the file begins which was never used.
  uint64_t used_end() const { return used_ << cluster_bits_; }

 private:
  // The first cluster from there on, before `end`, that is free (or is not); `end` when there is none.
  Result<uint64_t> next(uint64_t cluster, uint64_t end, bool free);
  // Clusters in a row, `least` at least and `most` at most, that are in the file now and not counted yet.
  Result<Taken> find(uint64_t least, uint64_t most);
  Result<void> count(Range host);
  Result<uint64_t> block(uint64_t index);  // its host offset; 0: there is none
  Result<void> make_block(uint64_t index);
  Result<void> grow_table(uint64_t index);
  uint64_t table_entries() const { return table_.clusters * cluster_size_ / refcount_table_entry_size; }

  BlockDevice& file_;
  EditedTables& tables_;
  Occupied& occupied_;
  const uint32_t cluster_bits_, order_;
  const uint64_t cluster_size_, per_block_;  // bytes; clusters
  const uint64_t most_clusters_;             // that the file can have
  Table table_;
  std::vector<Range> former_tables_;
  uint64_t search_ = 0;  // where the next free cluster is looked for
  uint64_t used_;        // no cluster from here on was ever used
};

}  // namespace disklathe::qcow2
