// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/check.h"
#include "core/format/extent.h"
#include "core/format/table_cache.h"
#include "core/format/vmdk/sparse_header.h"

namespace disklathe::vmdk {

// Where the grains of one sparse extent are.
class GrainMap {
 public:
  // file_index: what Extent::file is to say.
  GrainMap(const SparseHeader& header, BlockDevice& file, uint16_t file_index, std::shared_ptr<TableCache> tables);

  // As ImageReader::map(), for guest bytes of this extent, whose first is at `base` of the disk. One bounded look.
  Result<void> walk(uint64_t base, Range want, std::vector<Extent>& out) const;

  // Looks at every table and every entry: what does not lie inside the file. Takes as long as the tables are, however
  // large the disk is that they claim.
  Result<void> check(CheckReport& report) const;

  const SparseHeader& header() const { return header_; }

 private:
  class Walk;

  bool has_table(uint64_t sector) const;
  // length: bytes of it that the disk has.
  bool has_grain(uint64_t sector, uint64_t length) const;
  // The entries of the grain table with this number, which begins at `sector`.
  void check_table(uint64_t number, uint64_t sector, Bytes entries, CheckReport& report) const;

  const SparseHeader header_;
  BlockDevice& file_;
  const uint64_t file_size_;
  const uint16_t file_index_;
  const std::shared_ptr<TableCache> tables_;
};

}  // namespace disklathe::vmdk
