// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/preallocate.h"

#include <algorithm>
#include <vector>

namespace disklathe {

Result<void> write_zeroes_now(BlockDevice& file, Range range) {
  constexpr uint64_t step = 1 << 20;
  const std::vector<std::byte> zeroes(std::min(step, range.length));
  for (uint64_t at = range.at; at < range.end(); at += step) {
    const auto part = Bytes(zeroes).first(std::min(step, range.end() - at));
    if (auto written = file.write_now(at, part); !written) return failure(written);
  }
  return {};
}

Result<void> preallocate(BlockDevice& file, Range range, Preallocation mode) {
  if (range.empty()) return {};
  switch (mode) {
    case Preallocation::off:
    case Preallocation::metadata: return {};
    case Preallocation::falloc: return file.allocate_now(range);
    case Preallocation::full: return write_zeroes_now(file, range);
  }
  return {};
}

}  // namespace disklathe
