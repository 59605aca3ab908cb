// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace disklathe {

// "Please stop", asked from anywhere: another thread, or a signal handler (the flag is lock-free). Slots look at it
// between pieces; what is under way is left to finish.
class Stop {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace disklathe
