// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/support/priced_device.h"

namespace disklathe::test {

// A disk of data and holes in turn.
struct Layout {
  uint64_t size = uint64_t{4} << 30;
  uint32_t block = 4096;
  uint64_t data = 0, hole = 0;
  bool zeroes_stored = false;  // no holes but zeroes like any data
};
// `share` of it is data. A run of data has a block at least: 5 % between holes of 4 KiB come out as 11 %.
Layout layout(uint64_t hole, double share, bool zeroes_stored = false);

// A device that writes as that of 2020 did, and zeroes so many times as fast. fixed: a request costs a time of its own.
Costs costs(double times, bool fixed = true);
inline constexpr double write_rate = 445e6;  // bytes a second

// What a strategy that is chosen beforehand takes, and knows the disk: one request a run of data (of at most a piece),
// one command a hole.
struct Fixed {
  double buffers, interleaved, pre_zero;
  // What writes each byte once. Zeroing all of it and then writing the data over it, which is not to be done, is beaten
  // as well where a command costs no time of its own; else it saves n t, and a target of small holes is faster by that.
  double best() const { return std::min(buffers, interleaved); }
};
Fixed fixed_strategies(const Layout& layout, const Costs& costs);

// Copies the disk onto the device.
struct Outcome {
  double seconds = 0;
  std::string wrong;  // what was not as it must be: a block touched twice, left out, too much in flight, ...
};
Outcome copy_onto(PricedDevice& target, const Layout& layout);

}  // namespace disklathe::test
