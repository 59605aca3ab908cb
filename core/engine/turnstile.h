// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/io/ring.h"

namespace disklathe {

// Lets slots through one at a time in the order of their tickets (0, 1, 2, ...), whatever thread they are on. A slot
// that has to wait gives its thread to the others.
class Turnstile {
 public:
  class Turn;
  // Awaitable: true when it is this ticket's turn, false when the turnstile was abandoned.
  Turn enter(Ring& ring, uint64_t ticket);
  // The slot that is through lets the next one in.
  void leave();
  // Nobody is let in any more; all who wait are told.
  void abandon();

 private:
  struct Waiter {
    uint64_t ticket;
    Ring* ring;
    std::coroutine_handle<> coroutine;
  };
  std::mutex mutex_;
  uint64_t now_ = 0;
  bool abandoned_ = false;
  std::vector<Waiter> waiters_;  // at most one a slot
};

class Turnstile::Turn {
 public:
  Turn(Turnstile& turnstile, Ring& ring, uint64_t ticket) : turnstile_(turnstile), ring_(ring), ticket_(ticket) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  bool await_resume();

 private:
  Turnstile& turnstile_;
  Ring& ring_;
  uint64_t ticket_;
};

}  // namespace disklathe
