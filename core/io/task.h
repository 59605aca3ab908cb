// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace disklathe {

template <class T>
class Task;

namespace detail {

struct TaskPromiseBase {
  std::coroutine_handle<> waiter;
  // Between being started by its waiter and suspending for the first time: when it ends then, the waiter has never
  // stopped and simply goes on.
  bool starting = false;

  struct ResumeWaiter {
    static constexpr bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) noexcept {
      const TaskPromiseBase& promise = finished.promise();
      return promise.starting ? std::noop_coroutine() : promise.waiter;
    }
    static constexpr void await_resume() noexcept {}
  };

  static constexpr std::suspend_always initial_suspend() noexcept { return {}; }
  static constexpr ResumeWaiter final_suspend() noexcept { return {}; }
  // Core code does not throw; what the library throws (no memory) has no way to be reported from here.
  static void unhandled_exception() noexcept { std::terminate(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object() noexcept;
  static constexpr void return_void() noexcept {}
};

}  // namespace detail

// A coroutine that starts when it is awaited and resumes its waiter when it is done, on the same thread.
// It owns its frame; an unfinished task must not be destroyed while the kernel has an operation of it.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  explicit Task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  static constexpr bool await_ready() noexcept { return false; }
  // Started by a plain call rather than by symmetric transfer: a loop that awaits tasks which never have to wait (page
  // cache) must not deepen the stack, and only an optimizing compiler makes transfers into jumps.
  bool await_suspend(std::coroutine_handle<> waiter) noexcept {
    auto& promise = frame_.promise();
    promise.waiter = waiter;
    promise.starting = true;
    frame_.resume();
    promise.starting = false;
    return !frame_.done();
  }
  T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(*frame_.promise().value);
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

}  // namespace detail

// Runs all tasks at once on this thread and waits for every one of them; the first error wins.
Task<Result<void>> when_all(std::vector<Task<Result<void>>> tasks);

}  // namespace disklathe
