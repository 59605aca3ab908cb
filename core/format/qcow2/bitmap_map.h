// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/image_reader.h"
#include "core/format/qcow2/bitmaps.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/tables.h"

namespace disklathe::qcow2 {

// What a persistent bitmap says of the guest's bytes (specification, "Bitmaps": bitmap table and bitmap data).
// Thread-safe.
class BitmapMap {
 public:
  // A call stops after this many runs, or after this many clusters of bitmap data.
  static constexpr size_t max_runs = 4096, max_clusters = 64;

  // Errors: corrupt, where the table is not one for this disk; unsupported (granularity above 2 GiB); operation "open".
  static Result<BitmapMap> create(const Header& header, const Bitmap& bitmap, const BlockDevice& file,
                                  std::shared_ptr<Tables> tables);

  // As ImageReader::map_bitmap().
  Result<void> walk(Range want, std::vector<BitmapRun>& out) const;

 private:
  BitmapMap(const Header& header, const Bitmap& bitmap, const BlockDevice& file, std::shared_ptr<Tables> tables);
  Result<void> walk_cluster(uint64_t data, uint64_t& at, uint64_t end, size_t first, std::vector<BitmapRun>& out) const;

  uint64_t cluster_size_, granularity_;
  uint64_t span_;  // guest bytes that a cluster of bitmap data tells of
  uint64_t table_offset_;
  const BlockDevice* file_;
  std::shared_ptr<Tables> tables_;
};

}  // namespace disklathe::qcow2
