// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
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

  // Whether a table or a grain that begins there lies inside the file. length: bytes of it that the disk has.
  bool has_table(uint64_t sector) const;
  bool has_grain(uint64_t sector, uint64_t length) const;

  const SparseHeader& header() const { return header_; }
  BlockDevice& file() const { return file_; }

 private:
  class Walk;

  const SparseHeader header_;
  BlockDevice& file_;
  const uint64_t file_size_;
  const uint16_t file_index_;
  const std::shared_ptr<TableCache> tables_;
};

// What is said of one that does not lie inside the file.
std::string lost_table(uint64_t number);
std::string lost_grain(uint64_t guest_at);

}  // namespace disklathe::vmdk
