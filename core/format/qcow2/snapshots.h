// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/image_reader.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/map.h"

namespace disklathe::qcow2 {

struct SnapshotEntry {
  Snapshot facts;
  L1Table l1;           // as the table says: not checked
  uint64_t stored = 0;  // bytes of the table that it takes
};

// The snapshot table. Errors: corrupt, operation "open".
Result<std::vector<SnapshotEntry>> read_snapshots(BlockDevice& file, const Header& header);

// The snapshot with this id, else the first one with this name. Its L1 table is checked as the active one's is.
Result<L1Table> find_snapshot(const std::vector<SnapshotEntry>& snapshots, std::string_view id_or_name,
                              const Header& header, uint64_t file_size);

}  // namespace disklathe::qcow2
