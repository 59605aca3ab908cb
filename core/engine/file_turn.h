// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace disklathe {

// Who writes to a file in the page cache. The kernel lets one thread at a time: another spins until it is through. A
// slot that finds the turn taken lets its thread do something else first, and then writes, turn or not: nobody sleeps
// for it.
class FileTurn {
 public:
  bool try_take() { return !taken_.test_and_set(std::memory_order_acquire); }
  void give_back() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

}  // namespace disklathe
