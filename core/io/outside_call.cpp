// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/outside_call.h"

namespace disklathe {

bool OutsideCall::complete(int os_error) {
  int none = 0;
  if (os_error != 0) error_.compare_exchange_strong(none, os_error);
  return left_.fetch_sub(1) == 1;
}

void OutsideCall::finish() {
  if (ring_) return ring_->post(waiter_);
  // Inside the lock: the one who waits may be gone right after it.
  const std::scoped_lock lock(mutex_);
  finished_ = true;
  done_.notify_one();
}

void OutsideCall::wait() {
  if (complete(0)) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return finished_; });
}

}  // namespace disklathe
