// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/range_lock.h"

#include <algorithm>

namespace disklathe {

RangeLock::Waiting RangeLock::lock(Ring& ring, Range range, Mode mode) { return {*this, ring, range, mode}; }

bool RangeLock::Waiting::await_suspend(std::coroutine_handle<> waiter) {
  const std::scoped_lock lock(lock_.mutex_);
  entry_ = lock_.entries_.insert(lock_.entries_.end(), {.range = range_, .mode = mode_});
  if (!lock_.has_to_wait(entry_)) return false;
  entry_->ring = &ring_;
  entry_->waiter = waiter;
  return true;
}

bool RangeLock::has_to_wait(Entries::iterator entry) {
  return std::any_of(entries_.begin(), entry, [&](const Entry& earlier) { return earlier.excludes(*entry); });
}

void RangeLock::release(Entries::iterator entry) {
  const std::scoped_lock lock(mutex_);
  const Entry released = *entry;
  for (auto later = entries_.erase(entry); later != entries_.end(); ++later) {
    if (later->ring == nullptr || !released.excludes(*later) || has_to_wait(later)) continue;
    std::exchange(later->ring, nullptr)->post(later->waiter);
  }
}

}  // namespace disklathe
