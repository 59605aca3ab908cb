// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace disklathe {

// Durations, counted in fixed memory however many there are. What it gives back is at most 1.6 % too large.
class LatencyHistogram {
 public:
  using Time = std::chrono::nanoseconds;

  void add(Time latency) {
    ++counts_[index_of(static_cast<uint64_t>(std::max<int64_t>(latency.count(), 0)))];
    ++total_;
  }

  // The time within which this part (0 to 1) of them were done; 0 when there are none.
  Time percentile(double part) const {
    const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(total_)));
    uint64_t seen = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return Time(static_cast<int64_t>(last_of(i)));
    }
    return Time(0);
  }

  uint64_t count() const { return total_; }

 private:
  // Each power of two is cut into `steps` equal parts; below 2 * steps each value has its own.
  static constexpr unsigned step_bits = 6;
  static constexpr uint64_t steps = 1 << step_bits;
  static constexpr unsigned most_bits = 44;  // five hours; longer counts as that

  static size_t index_of(uint64_t value) {
    value = std::min(value, (uint64_t{1} << most_bits) - 1);
    if (value < 2 * steps) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - step_bits - 1;
    return shift * steps + (value >> shift);
  }
  static uint64_t last_of(size_t index) {
    if (index < 2 * steps) return index;
    const size_t shift = index / steps - 1;
    return ((index % steps + steps + 1) << shift) - 1;
  }

  std::array<uint64_t, (most_bits - step_bits + 1) * steps> counts_{};
  uint64_t total_ = 0;
};

}  // namespace disklathe
