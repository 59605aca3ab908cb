// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/io/ring.h"

namespace disklathe {

// Who may have a request at the target now: data writes side by side; of writes of zeroes so many; of zero commands
// two, and of those that will take long together only one; or one command alone. Any thread.
class TargetGate {
 public:
  enum class Use : uint8_t { data, zeroes, command, alone };
  class Pass;
  class Waiting;

  // zero_writes: how many writes of zeroes at a time.
  explicit TargetGate(unsigned zero_writes) : most_zero_writes_(zero_writes) {}

  // Awaitable: a Pass. expected: of a command, how long it will take.
  Waiting enter(Ring& ring, Use use, Clock::Time expected = {});

 private:
  struct Waiter {
    Use use;
    Clock::Time expected;
    Ring* ring;
    std::coroutine_handle<> coroutine;
  };

  bool admits(Use use, Clock::Time expected) const;
  void count(Use use, Clock::Time expected);
  void leave(Use use, Clock::Time expected);

  const unsigned most_zero_writes_;
  std::mutex mutex_;
  unsigned data_ = 0, zero_writes_ = 0, commands_ = 0;
  bool alone_ = false;
  Clock::Time command_time_{0};
  std::vector<Waiter> waiters_;  // first come, first served; but only one who wants to be alone holds up other sorts
};

// Leave to use the target until it goes out of scope.
class TargetGate::Pass {
 public:
  Pass(TargetGate& gate, Use use, Clock::Time expected) : gate_(gate), use_(use), expected_(expected) {}
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  ~Pass() { gate_.leave(use_, expected_); }

 private:
  TargetGate& gate_;
  Use use_;
  Clock::Time expected_;
};

class TargetGate::Waiting {
 public:
  Waiting(TargetGate& gate, Ring& ring, Use use, Clock::Time expected)
      : gate_(gate), ring_(ring), use_(use), expected_(expected) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  // Was counted for by whoever let it in.
  Pass await_resume() { return {gate_, use_, expected_}; }

 private:
  TargetGate& gate_;
  Ring& ring_;
  Use use_;
  Clock::Time expected_;
};

}  // namespace disklathe
