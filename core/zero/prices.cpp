// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/prices.h"

#include <algorithm>
#include <bit>

namespace disklathe {
namespace {

constexpr double fading = 0.98;                       // a write counts half after 35 more
constexpr double guessed_per_byte = 1 / (500 * 1e6);  // seconds: a SATA disk's
constexpr double changed = 3;                         // a command this many times off the fit: the device has changed

}  // namespace

void WritePrice::record(uint64_t length, double seconds) {
  const auto bytes = static_cast<double>(length);
  if (length >= large) {
    large_bytes_ = large_bytes_ * fading + bytes;
    large_seconds_ = large_seconds_ * fading + seconds;
  } else {
    small_count_ = small_count_ * fading + 1;
    small_bytes_ = small_bytes_ * fading + bytes;
    small_seconds_ = small_seconds_ * fading + seconds;
  }
}

double WritePrice::per_byte() const { return known() ? large_seconds_ / large_bytes_ : guessed_per_byte; }

double WritePrice::fixed() const {
  if (small_count_ == 0) return 0;
  return std::max(0.0, (small_seconds_ - small_bytes_ * per_byte()) / small_count_);
}

size_t CommandPrice::sort_of(uint64_t length) {
  const int width = std::bit_width(length >> 12);
  return std::min<size_t>(static_cast<size_t>(width + 1) / 2, std::tuple_size_v<decltype(sorts_)> - 1);
}

void CommandPrice::record(uint64_t length, double seconds) {
  if (fitted_ && (seconds > changed * of(length) || seconds < of(length) / changed)) {
    sorts_ = {};
    longest_ = 0;
  }
  Sort& sort = sorts_[sort_of(length)];
  const auto bytes = static_cast<double>(length);
  ++sort.count;
  // A device's first command often takes long: of the first two the shorter time counts.
  if (sort.count == 1 || (sort.count == 2 && seconds < sort.seconds)) {
    sort.length = bytes;
    sort.seconds = seconds;
  } else if (sort.count > 2) {
    sort.length = (sort.length + bytes) / 2;
    sort.seconds = (sort.seconds + seconds) / 2;
  }
  longest_ = std::max(longest_, length);
  fit();
}

// Least squares of relative errors, so that short commands say what is fixed and long ones what a byte costs.
void CommandPrice::fit() {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, shortest = 0, longest = 0;
  for (const Sort& sort : sorts_) {
    if (sort.count == 0) continue;
    const double w = 1 / std::max(sort.seconds * sort.seconds, 1e-18);
    weight += w;
    x += w * sort.length;
    y += w * sort.seconds;
    xx += w * sort.length * sort.length;
    xy += w * sort.length * sort.seconds;
    if (shortest == 0) shortest = sort.length;
    longest = sort.length;
  }
  fitted_ = longest >= 2 * shortest;
  only_length_ = x / weight;
  only_cost_ = y / weight;
  if (!fitted_) return;
  per_byte_ = (weight * xy - x * y) / (weight * xx - x * x);
  fixed_ = (y - per_byte_ * x) / weight;
  if (per_byte_ < 0) {
    per_byte_ = 0;
    fixed_ = y / weight;
  } else if (fixed_ < 0) {
    fixed_ = 0;
    per_byte_ = xy / xx;
  }
}

double CommandPrice::of(uint64_t length) const {
  const auto bytes = static_cast<double>(length);
  if (fitted_) return fixed_ + per_byte_ * bytes;
  return only_cost_ * std::max(1.0, bytes / only_length_);
}

double CommandPrice::at_least(uint64_t length) const {
  const auto bytes = static_cast<double>(length);
  if (fitted_) return of(length);
  return only_cost_ * std::min(1.0, bytes / only_length_);
}

}  // namespace disklathe
