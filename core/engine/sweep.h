// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/io/stop.h"

namespace disklathe {

// Requests of each size in turn, sequentially over one area of a device: what the device makes of their size.
//
// The sizes take turns in rounds, up and down: what disturbs the machine for a while disturbs all of them, and the
// median over the rounds leaves it out. Each slice goes on where the one before ended, so that on a large device no
// byte is asked for twice and no cache on the way can answer.
struct SweepRequest {
  std::vector<uint64_t> sizes;  // bytes, ascending; each fits into the area
  bool write = false;           // of bytes that nothing below can compress or find elsewhere. Never flushed in between
  // Requests in flight: 1 is one after the other. More need a device whose requests are queued.
  unsigned depth = 1;
  uint64_t area = 0;  // bytes from the start of the device on, gone through again and again
  // Each size ends with whichever comes first. A request that is under way is waited for.
  std::chrono::nanoseconds time_per_size = std::chrono::seconds(1);
  uint64_t bytes_per_size = UINT64_MAX;
  unsigned rounds = 5;
};

// What one size did, over all rounds.
struct SweepPoint {
  uint64_t size = 0;  // of a request, bytes
  uint64_t requests = 0;
  double seconds = 0;
  double rate = 0;                       // bytes per second, the median of the rounds
  double least_rate = 0, most_rate = 0;  // of the slowest and of the fastest round
  std::chrono::nanoseconds p50{0}, p99{0};
  double user_seconds = 0, system_seconds = 0;  // processor time of this process and of the kernel for it

  double bytes() const { return static_cast<double>(size) * static_cast<double>(requests); }
  double requests_per_second() const { return rate / static_cast<double>(size); }
  double cpu_seconds() const { return user_seconds + system_seconds; }
};

// Told before each slice: the size, and which round of how many (from 1).
using SweepWatch = std::function<void(uint64_t size, unsigned round, unsigned rounds)>;

// One point a size, in their order. Errors: those of the device; `stopped`; `unsupported` when requests were to be in
// flight together and the device answers one at a time.
Result<std::vector<SweepPoint>> sweep(BlockDevice& device, const SweepRequest& request, const Stop& stop,
                                      const SweepWatch& watch = {});

// Takes room for a scratch file of that size, where the file system can without writing.
Result<void> make_room(BlockDevice& file, uint64_t area);

// Writes the area once, so that no later write has to find a place for its bytes first.
Result<void> lay_out(BlockDevice& device, uint64_t area, const Stop& stop);

// The smallest size that reaches knee_share of the best rate: what is larger gains nothing. Index of its point; none
// when nothing was moved.
inline constexpr double knee_share = 0.95;
std::optional<size_t> knee_of(std::span<const SweepPoint> points);

}  // namespace disklathe
