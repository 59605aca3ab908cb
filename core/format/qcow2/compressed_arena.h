// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/format/qcow2/clusters.h"

namespace disklathe::qcow2 {

// Packs compressed clusters into host clusters, byte after byte and across cluster borders, as QEMU does. When
// something else was allocated behind the open cluster, its rest is kept for a compressed cluster that is small enough.
class CompressedArena {
 public:
  CompressedArena(Clusters& clusters, uint32_t cluster_bits, uint32_t refcount_order);

  // A place for that many bytes (at most one cluster), with its references counted.
  Result<uint64_t> take(uint64_t size);

 private:
  // Free bytes in host clusters that hold compressed data already.
  struct Rest {
    uint64_t at = 0, end = 0;
    uint64_t size() const { return end - at; }
  };

  // Whether every cluster that these bytes touch can be counted once more.
  Result<bool> countable(const Rest& rest, uint64_t size);
  Result<bool> open_grows_for(uint64_t size);
  Result<uint64_t> take_from(Rest& rest, uint64_t size);
  void keep(Rest rest);

  Clusters& clusters_;
  uint64_t cluster_size_;
  uint64_t max_refcount_;
  Rest open_;
  std::vector<Rest> rests_;  // ascending by size
};

}  // namespace disklathe::qcow2
