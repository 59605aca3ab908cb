// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/range.h"

namespace disklathe::nbd {

// Which parts of a disk somebody has touched, to a thousandth of it: marked by one thread, read by any other.
class TouchMap {
 public:
  // Before the first mark. The disk is seen as at most `most_parts` parts, each 4 KiB times a power of two.
  void cover(uint64_t size);

  void mark(Range range);
  // Whole parts, in order, none next to another.
  std::vector<Range> ranges() const;

  static constexpr size_t most_parts = 1024;

 private:
  static constexpr size_t word_bits = 64;

  std::atomic<uint64_t> size_{0};
  std::atomic<unsigned> shift_{12};
  std::array<std::atomic<uint64_t>, most_parts / word_bits> bits_{};
};

}  // namespace disklathe::nbd
