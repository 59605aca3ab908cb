// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

// Where an image's own tables lie: header, refcount table and blocks, the active L1 and L2 tables, the snapshot table.
// An image that contradicts itself may call such a cluster free, or a guest's; neither is believed before it is written
// to. Not thread-safe. Memory: 8 bytes a table, which the format's limits of L1 and refcount table bound.
class Occupied {
 public:
  // The header's tables lie inside the file.
  static Result<Occupied> read(BlockDevice& file, const Header& header);

  // Whether one of them touches the host bytes.
  bool touches(Range host) const;
  void add(Range host);
  void remove(Range host);

 private:
  explicit Occupied(uint64_t cluster_size) : cluster_size_(cluster_size) {}
  Result<void> add_entries(BlockDevice& file, Range table, uint64_t mask);

  uint64_t cluster_size_;
  std::vector<uint64_t> clusters_;  // their offsets, ascending
};

}  // namespace disklathe::qcow2
