// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <mutex>

#include "core/io/ring.h"

namespace disklathe {

// What is waited for while threads of others do it: one or several commands, on one connection or several. Lives until
// all of them are done. Each is counted by add() before it is given away, and by complete() when it is done; so is, by
// who gave them away, the end of giving.
class OutsideCall {
 public:
  void add() { left_.fetch_add(1); }
  // True: nothing is under way any more; who was told so calls finish(), or does not wait at all.
  bool complete(int os_error);
  void finish();
  int error() const { return error_; }  // the first; 0: none

  // Both once everything was given away, on the thread that did: waits there, or gives the ring's other tasks a turn.
  void wait();
  class Wait;
  Wait waited(Ring& ring);

 private:
  std::atomic<unsigned> left_{1};  // one for who adds
  std::atomic<int> error_{0};
  Ring* ring_ = nullptr;
  std::coroutine_handle<> waiter_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
};

class OutsideCall::Wait {
 public:
  Wait(OutsideCall& call, Ring& ring) : call_(call), ring_(ring) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    call_.ring_ = &ring_;
    call_.waiter_ = waiter;
    return !call_.complete(0);
  }
  static void await_resume() {}

 private:
  OutsideCall& call_;
  Ring& ring_;
};

inline OutsideCall::Wait OutsideCall::waited(Ring& ring) { return {*this, ring}; }

}  // namespace disklathe
