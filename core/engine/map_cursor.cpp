// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/map_cursor.h"

#include <limits>

namespace disklathe {
namespace {

Extent zeroes(Range guest) { return Extent{.kind = Extent::Kind::zero, .guest = guest}; }

}  // namespace

Result<const Extent*> MapCursor::extent_at(uint64_t offset) {
  while (next_ < extents_.size() && extents_[next_].guest.end() <= offset) ++next_;
  if (next_ == extents_.size()) {
    extents_.clear();
    next_ = 0;
    if (offset >= image_.size()) {
      extents_.push_back(zeroes(Range::between(offset, std::numeric_limits<uint64_t>::max())));
    } else {
      auto mapped = image_.map(Range::between(offset, image_.size()), extents_);
      if (!mapped) return failure(mapped);
    }
  }
  return &extents_[next_];
}

Result<void> MapCursor::collect(Range window, std::vector<Extent>& out) {
  uint64_t at = window.at;
  if (walked_zero_.contains(at)) {
    out.push_back(zeroes(intersection(walked_zero_, window)));
    at = out.back().guest.end();
  }
  while (at < window.end()) {
    auto extent = extent_at(at);
    if (!extent) return failure(extent);
    out.push_back(clipped(**extent, intersection((*extent)->guest, Range::between(at, window.end()))));
    at = out.back().guest.end();
  }
  return {};
}

Result<uint64_t> MapCursor::zero_until(uint64_t offset, uint64_t limit) {
  uint64_t at = walked_zero_.contains(offset) ? walked_zero_.end() : offset;
  while (at < limit) {
    auto extent = extent_at(at);
    if (!extent) return failure(extent);
    if (!reads_zero(**extent)) break;
    at = (*extent)->guest.end();
  }
  walked_zero_ = Range::between(offset, at);
  return std::min(at, limit);
}

}  // namespace disklathe
