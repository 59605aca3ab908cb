// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace disklathe {

// Bytes [at, at + length). Ranges inside the program are already checked: end() never wraps.
struct Range {
  uint64_t at = 0;
  uint64_t length = 0;

  constexpr uint64_t end() const { return at + length; }
  constexpr bool empty() const { return length == 0; }
  constexpr bool contains(uint64_t offset) const { return offset >= at && offset - at < length; }
  static constexpr Range between(uint64_t from, uint64_t to) { return {from, to > from ? to - from : 0}; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

constexpr Range intersection(Range a, Range b) {
  return Range::between(std::max(a.at, b.at), std::min(a.end(), b.end()));
}

}  // namespace disklathe
