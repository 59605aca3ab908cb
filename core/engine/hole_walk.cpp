// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/hole_walk.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {

Result<const Extent*> HoleWalk::extent_at(uint64_t offset) {
  const auto found =
      std::ranges::find_if(extents_, [&](const Extent& extent) { return extent.guest.contains(offset); });
  if (found != extents_.end()) return &*found;
  extents_.clear();
  if (auto mapped = image_.map(Range::between(offset, image_.size()), extents_); !mapped) return failure(mapped);
  return &extents_.front();
}

// The end of the hole that `offset` lies in; `offset` itself outside of one.
Result<uint64_t> HoleWalk::hole_until(uint64_t offset) {
  while (offset < image_.size()) {
    auto extent = extent_at(offset);
    if (!extent) return failure(extent);
    if ((*extent)->kind != Extent::Kind::hole) break;
    offset = (*extent)->guest.end();
  }
  return offset;
}

Result<HoleWalk::Run> HoleWalk::run_at(uint64_t at, uint64_t limit) {
  const uint64_t size = image_.size();
  const auto whole_units = [&](uint64_t end) { return end == size ? size : round_down(end, unit_); };
  for (uint64_t looked = at; looked < size;) {
    auto hole_end = hole_until(looked);
    if (!hole_end) return failure(hole_end);
    const uint64_t hole_start = looked == at ? at : round_up(looked, unit_);
    if (whole_units(*hole_end) > hole_start)
      return hole_start == at ? Run{true, whole_units(*hole_end)} : Run{false, std::min(hole_start, at + limit)};
    if (*hole_end - at >= limit) return Run{false, std::min(at + limit, size)};
    looked = *hole_end;
    if (looked == size) break;
    auto held = extent_at(looked);
    if (!held) return failure(held);
    looked = (*held)->guest.end();
  }
  return Run{false, std::min(at + limit, size)};
}

}  // namespace disklathe
