// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/io/ring.h"

namespace disklathe {

// Carries a ring's queued requests to the kernel. Used by the ring's thread alone, except wake().
class IoBackend {
 public:
  virtual ~IoBackend() = default;

  // Takes the request; its complete() is called later, from a wait(). May be called from within a complete().
  virtual void submit(Ring::Operation& operation) = 0;

  // Hands what was submitted to the kernel without waiting. Called whenever a coroutine has suspended: the next one may
  // keep the thread busy for long, and devices are not to idle meanwhile.
  virtual void start() {}

  // Hands everything submitted to the kernel, blocks until something completed or wake() was called, and calls
  // complete() of what did. May return without having done anything.
  virtual void wait() = 0;

  // From any thread: the present or the next wait() returns soon.
  virtual void wake() = 0;
};

// Fails with the errno of io_uring_setup() where the kernel has no io_uring or forbids it.
Result<std::unique_ptr<IoBackend>> make_uring_backend();

// Blocking calls in a few threads, which are started when the first request comes.
Result<std::unique_ptr<IoBackend>> make_thread_backend();

// The request as one blocking system call: bytes done or -errno. Not for IoOp::poll.
int64_t execute(const IoRequest& request);

// An eventfd to wake a ring's thread by; the descriptor stays readable until drained.
class WakeEvent {
 public:
  static Result<WakeEvent> create();
  WakeEvent(WakeEvent&& other) noexcept;
  WakeEvent& operator=(WakeEvent&&) = delete;
  ~WakeEvent();

  int fd() const { return fd_; }
  void raise() const;
  void drain() const;

 private:
  explicit WakeEvent(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace disklathe
