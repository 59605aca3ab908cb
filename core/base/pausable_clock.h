// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/clock.h"

namespace disklathe {

// This machine's steady clock, less the time that was spent in pauses. One thread pauses and resumes, in turn.
class PausableClock final : public Clock {
 public:
  Time now() const override {
    const int64_t state = state_.load(std::memory_order_acquire);
    return state < 0 ? Time(-state - 1) : steady_clock().now() - Time(state);
  }

  void pause() noexcept { state_.store(-now().count() - 1, std::memory_order_release); }
  void resume() noexcept { state_.store((steady_clock().now() - now()).count(), std::memory_order_release); }

 private:
  // Running: nanoseconds spent in pauses. Paused: -1 less the reading at which it stands.
  std::atomic<int64_t> state_{0};
};

}  // namespace disklathe
