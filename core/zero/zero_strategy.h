// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/io/ring.h"
#include "core/io/stop.h"

namespace disklathe {

// Makes ranges of one target zero in the cheapest way it accepts, and remembers what it refuses. Shared by all slots.
class ZeroStrategy {
 public:
  ZeroStrategy(BlockDevice& target, const Stop& stop) : target_(target), stop_(stop) {}

  // Long ranges go in steps, so that a stop is heard between them; `zeroed` counts bytes as they are done.
  Task<Result<void>> zero(Ring& ring, Range range, std::atomic<uint64_t>& zeroed);

 private:
  Task<Result<void>> zero_step(Ring& ring, Range range);

  BlockDevice& target_;
  const Stop& stop_;
  std::atomic<size_t> first_method_{0};  // into the ladder; those before it were refused
};

}  // namespace disklathe
