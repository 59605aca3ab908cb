// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/engine/progress.h"
#include "core/io/stop.h"
#include "core/zero/zero_strategy.h"

namespace disklathe {

// What is to read as zero: ranges of a target in order, which do not overlap.
struct ZeroJob {
  BlockDevice* target = nullptr;
  std::vector<Range> ranges;
  std::optional<ZeroMethod> only;  // this method and no other
  const Clock* clock = &steady_clock();
};

// Makes them zero and flushes. Blocks; progress and stop are for other threads. The answer: how.
Result<ZeroStrategy::Done> make_zero(const ZeroJob& job, Progress& progress, const Stop& stop);

// Reads the ranges (in order, apart) and returns the offset of a byte that is not zero, the lowest of those found;
// nothing: all that was read is zero. A file's holes are not read.
Result<std::optional<uint64_t>> find_nonzero(BlockDevice& target, std::span<const Range> ranges, Progress& progress,
                                             const Stop& stop);

// About `count` places of 64 KiB in the ranges: the start and the end of each, the others spread over them. The same
// for the same seed.
std::vector<Range> sample_places(std::span<const Range> ranges, unsigned count, uint32_t seed);

}  // namespace disklathe
