// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/touch_map.h"

#include <algorithm>

namespace disklathe::nbd {

void TouchMap::cover(uint64_t size) {
  unsigned shift = 12;
  while (size > 0 && ((size - 1) >> shift) >= most_parts) ++shift;
  shift_ = shift;
  size_ = size;
}

void TouchMap::mark(Range range) {
  const unsigned shift = shift_.load(std::memory_order_relaxed);
  if (range.empty() || range.end() > size_.load(std::memory_order_relaxed)) return;
  const uint64_t last = (range.end() - 1) >> shift;
  for (uint64_t part = range.at >> shift; part <= last;) {
    const uint64_t word = part / word_bits, first_bit = part % word_bits;
    const uint64_t count = std::min(word_bits - first_bit, last - part + 1);
    const uint64_t mask = (count == word_bits ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first_bit;
    // Looked at before it is changed: what is marked already stays in every processor's cache.
    if ((bits_[word].load(std::memory_order_relaxed) & mask) != mask)
      bits_[word].fetch_or(mask, std::memory_order_relaxed);
    part += count;
  }
}

std::vector<Range> TouchMap::ranges() const {
  std::vector<Range> found;
  const uint64_t size = size_.load(std::memory_order_relaxed);
  const unsigned shift = shift_.load(std::memory_order_relaxed);
  for (uint64_t part = 0; part < most_parts && part << shift < size; ++part) {
    if ((bits_[part / word_bits].load(std::memory_order_relaxed) >> (part % word_bits) & 1) == 0) continue;
    const Range range = Range::between(part << shift, std::min(size, (part + 1) << shift));
    if (!found.empty() && found.back().end() == range.at)
      found.back().length += range.length;
    else
      found.push_back(range);
  }
  return found;
}

}  // namespace disklathe::nbd
