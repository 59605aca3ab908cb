// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace disklathe {

// "Please stop", asked from anywhere: another thread, or a signal handler. Slots look at it between pieces; what is
// under way is left to finish.
class Stop {
 public:
  Stop() = default;
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  void request() noexcept;
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  // For who waits in poll(): readable from the request on. -1 where the kernel gives none; then look now and then.
  int descriptor() const noexcept;

 private:
  std::atomic<bool> requested_{false};
  mutable std::atomic<int> event_{-1};  // made when it is first asked for
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

}  // namespace disklathe
