// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace disklathe::qcow2 {

// Those who go from table to table. Who gives up a table that they may have found their way to waits for those who
// were on their way, and never for those who set out later.
class Walkers {
 public:
  class Walk {
   public:
    explicit Walk(Walkers& walkers) : walking_(walkers.enter()) {}
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk() {
      if (walking_.fetch_sub(1) == 1) walking_.notify_all();
    }

   private:
    std::atomic<uint32_t>& walking_;
  };

  // One caller at a time.
  void wait_for_earlier() {
    std::atomic<uint32_t>& earlier = walking_[epoch_.fetch_add(1) % 2];
    for (uint32_t count = earlier; count != 0; count = earlier) earlier.wait(count);
  }

 private:
  std::atomic<uint32_t>& enter() {
    for (;;) {
      const uint32_t epoch = epoch_;
      std::atomic<uint32_t>& walking = walking_[epoch % 2];
      ++walking;
      if (epoch_ == epoch) return walking;
      // Somebody has begun to wait meanwhile, perhaps without having seen this walk.
      if (walking.fetch_sub(1) == 1) walking.notify_all();
    }
  }

  std::atomic<uint32_t> epoch_{0};
  std::array<std::atomic<uint32_t>, 2> walking_{};
};

}  // namespace disklathe::qcow2
