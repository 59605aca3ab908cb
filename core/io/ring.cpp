// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ring.h"

#include "core/io/io_backend.h"

namespace disklathe {

// The coroutine that owns a spawned task: starts at once, and is gone when the task is done.
struct Ring::Root {
  struct promise_type {
    static Root get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };

  static Root run(Ring& ring, Task<void> task) {
    co_await task;
    --ring.running_;
  }
};

Ring::Ring(RingKind kind, std::unique_ptr<IoBackend> backend) : kind_(kind), backend_(std::move(backend)) {}

Ring::~Ring() = default;

Result<std::unique_ptr<Ring>> Ring::create(RingKind kind) {
  if (kind == RingKind::automatic || kind == RingKind::uring) {
    Result<std::unique_ptr<IoBackend>> backend = make_uring_backend();
    if (backend) return std::unique_ptr<Ring>(new Ring(RingKind::uring, std::move(*backend)));
    // Whatever keeps io_uring from starting (seccomp, sysctl, memlock limit, old kernel), threads do the same work.
    if (kind == RingKind::uring) return failure(backend);
    kind = RingKind::threads;
  }
  Result<std::unique_ptr<IoBackend>> backend = make_thread_backend();
  if (!backend) return failure(backend);
  return std::unique_ptr<Ring>(new Ring(kind, std::move(*backend)));
}

void Ring::spawn(Task<void> task) {
  ++running_;
  Root::run(*this, std::move(task));
  // From within run() that is done when who spawns suspends: many that are spawned together are submitted together.
  if (!inside_run_) backend_->start();
}

void Ring::run() {
  inside_run_ = true;
  std::vector<std::coroutine_handle<>> resumable;
  while (running_ > 0) {
    {
      const std::lock_guard lock(posted_mutex_);
      resumable.swap(posted_);
    }
    resumable.insert(resumable.end(), next_.begin(), next_.end());
    next_.clear();
    if (resumable.empty()) {
      backend_->wait();
      continue;
    }
    for (const std::coroutine_handle<> coroutine : resumable) {
      coroutine.resume();
      backend_->start();
    }
    resumable.clear();
  }
  inside_run_ = false;
}

void Ring::post(std::coroutine_handle<> coroutine) {
  const std::lock_guard lock(posted_mutex_);
  posted_.push_back(coroutine);
  // Inside the lock: once the ring's thread has the coroutine it may end, and the ring with it.
  if (posted_.size() == 1) backend_->wake();
}

Ring::Turn Ring::next_turn() { return Turn(*this); }

Ring::Operation Ring::perform(const FileHandle& file, const IoRequest& request) {
  IoRequest addressed = request;
  addressed.fd = file.fd;
  return {*this, file.mode, addressed};
}

bool Ring::Operation::await_ready() {
  if (mode_ == IoMode::queued || request_.op == IoOp::poll) return false;
  result_ = execute(request_);
  return true;
}

void Ring::Operation::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  ring_.backend_->submit(*this);
}

}  // namespace disklathe
