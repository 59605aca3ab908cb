// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/zero_joiner.h"

#include <utility>

namespace disklathe {

void ZeroJoiner::append(const std::vector<Range>& ranges, std::vector<Range>& whole) {
  for (const Range& range : ranges) {
    if (open_ && open_->end() == range.at) {
      open_->length += range.length;
      continue;
    }
    if (open_) whole.push_back(*open_);
    open_ = range;
  }
  // Nothing of this piece adjoined: the hole before it ended before it.
  if (ranges.empty() && open_) whole.push_back(*std::exchange(open_, std::nullopt));
}

void ZeroJoiner::report(uint64_t index, std::vector<Range>& ranges) {
  const std::scoped_lock lock(mutex_);
  early_.emplace(index, std::exchange(ranges, {}));
  for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.erase(first)) {
    append(first->second, ranges);
    ++next_;
  }
}

std::optional<Range> ZeroJoiner::rest() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(open_, std::nullopt);
}

}  // namespace disklathe
