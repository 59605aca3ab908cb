// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"
#include "core/format/table_cache.h"

namespace disklathe {

// Where the guest's bytes are by tables of two levels: the entries of one L1 table lead to L2 tables, whose entries
// lead to clusters (qcow, QED). Entries have 64 bits, and 0 says that nothing is there; what else they say is the
// format's own.
class TwoLevelMap {
 public:
  // A call of walk() stops after this many extents, or after this many looks at tables.
  static constexpr size_t max_extents = 512;
  static constexpr size_t max_looks = 256;
  static constexpr uint64_t entry_size = 8;

  struct Shape {
    std::endian byte_order = std::endian::big;
    uint64_t l1_at = 0;  // in the file, a multiple of 8; inside of it are entries for the whole disk
    uint64_t cluster_size = 0;
    uint64_t l2_entries = 0;  // of each L2 table
  };

  virtual ~TwoLevelMap() = default;

  // As ImageReader::map().
  Result<void> walk(Range want, std::vector<Extent>& out) const;

 protected:
  TwoLevelMap(const Shape& shape, BlockDevice& file, std::shared_ptr<TableCache> tables);

  // Both are asked of entries that are not 0. To an error walk() adds where the entry is.
  //
  // Where the L2 table of that number begins: a multiple of 8, and all of it inside the file.
  virtual Result<uint64_t> l2_table(uint64_t entry, uint64_t index) const = 0;
  // What an L2 entry says of `guest`, a part of one cluster.
  virtual Result<Extent> cluster(uint64_t entry, Range guest) const = 0;

  uint64_t file_size() const { return file_size_; }

 private:
  class Walk;

  const Shape shape_;
  const uint64_t l1_span_;  // guest bytes of an L1 entry
  BlockDevice& file_;
  const uint64_t file_size_;
  const std::shared_ptr<TableCache> tables_;
};

}  // namespace disklathe
