// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/tables.h"

namespace disklathe::qcow2 {

// One disk state of an image: the active one, or an internal snapshot. Already checked: on a cluster boundary, inside
// the file, and with entries for the whole disk.
struct L1Table {
  uint64_t offset = 0;
  uint32_t entries = 0;
  uint64_t disk_size = 0;  // bytes
};

// Where the guest's bytes are: L1 and L2 tables, read slice by slice.
class Map {
 public:
  // A call stops after this many extents, or after this many slices of L2 tables.
  static constexpr size_t max_extents = 512;
  static constexpr size_t max_l2_slices = 256;

  // data_file: null when the image has none. The files may grow.
  Map(const Header& header, const L1Table& l1, const BlockDevice& file, const BlockDevice* data_file,
      std::shared_ptr<Tables> tables);

  // As ImageReader::map(). Files: 0 the image, 1 its data file.
  Result<void> walk(Range want, std::vector<Extent>& out) const;

 private:
  class Walk;

  const uint32_t version_;
  const uint32_t cluster_bits_;
  const uint64_t cluster_size_;
  const uint64_t entry_size_;  // of L2 tables
  const uint64_t l1_span_;     // guest bytes of an L1 entry
  const bool extended_, encrypted_, has_data_file_;
  const L1Table l1_;
  const BlockDevice& file_;
  const BlockDevice& data_;  // that standard clusters lie in
  const std::shared_ptr<Tables> tables_;
};

}  // namespace disklathe::qcow2
