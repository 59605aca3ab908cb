// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/task.h"

namespace disklathe {
namespace {

// What the children of one when_all() share. It lives in when_all's frame, which outlasts them all.
struct Join {
  size_t left;  // children still running, and one for when_all itself until it waits
  Result<void> result;
  std::coroutine_handle<> waiter = std::noop_coroutine();

  bool await_ready() noexcept { return --left == 0; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  static void await_resume() noexcept {}
};

// A coroutine that starts at once, owns itself, and resumes the join's waiter when it is the last to end.
struct Child {
  struct promise_type {
    Join& join;

    promise_type(Task<Result<void>>&, Join& shared) noexcept : join(shared) {}
    static Child get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static auto final_suspend() noexcept {
      struct Leave {
        static bool await_ready() noexcept { return false; }
        static std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          Join& shared = ended.promise().join;
          ended.destroy();
          return --shared.left == 0 ? shared.waiter : std::noop_coroutine();
        }
        static void await_resume() noexcept {}
      };
      return Leave{};
    }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

Child run_child(Task<Result<void>> task, Join& join) {
  Result<void> result = co_await task;
  if (!result && join.result) join.result = std::move(result);
}

}  // namespace

Task<Result<void>> when_all(std::vector<Task<Result<void>>> tasks) {
  Join join{.left = tasks.size() + 1, .result = {}};
  for (Task<Result<void>>& task : tasks) run_child(std::move(task), join);
  co_await join;
  co_return std::move(join.result);
}

}  // namespace disklathe
