// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "core/base/pausable_clock.h"

namespace disklathe {

// "Please stop", or "please wait", asked from anywhere: another thread, or for a stop a signal handler. Slots look at
// it between pieces; what is under way is left to finish.
class Stop {
 public:
  Stop() = default;
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  void request() noexcept;
  bool requested() const noexcept { return state_.load(std::memory_order_relaxed) == State::over; }

  // For who waits in poll(): readable from the request on. -1 where the kernel gives none; then look now and then.
  int descriptor() const noexcept;

  // Nothing new is begun until resume(), or request(), which no pause outlives. One thread.
  void pause() noexcept;
  void resume() noexcept;
  bool paused() const noexcept { return state_.load(std::memory_order_relaxed) == State::paused; }
  // Blocks the calling thread as long as the job is paused. Nothing that another slot waits for may be held.
  void wait_while_paused() const noexcept { state_.wait(State::paused); }

  // What a job is timed by: stands still in a pause.
  const Clock& clock() const noexcept { return clock_; }

 private:
  enum class State : int { going, paused, over };

  std::atomic<State> state_{State::going};
  PausableClock clock_;
  mutable std::atomic<int> event_{-1};  // made when it is first asked for
  static_assert(std::atomic<State>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

}  // namespace disklathe
