// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/task.h"

#include <QTest>
#include <vector>

#include "core/io/ring.h"
#include "tests/support/run_task.h"

using namespace disklathe;
using test::run_task;

namespace {

// Goes to the back of the ring's line.
struct Pause {
  Ring& ring;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const { ring.post(handle); }
  static void await_resume() noexcept {}
};

Task<Result<void>> record(Ring& ring, int pauses, int id, std::vector<int>& ended) {
  for (int i = 0; i < pauses; ++i) co_await Pause{ring};
  ended.push_back(id);
  co_return Result<void>{};
}

Task<Result<void>> fail(Ring& ring, int pauses, std::string cause) {
  for (int i = 0; i < pauses; ++i) co_await Pause{ring};
  co_return failure(ErrorKind::io, "test", std::move(cause));
}

Task<int> answer() { co_return 42; }

// Where its stack is, roughly.
Task<uintptr_t> depth() { co_return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

Task<uintptr_t> change_of_depth(Ring& ring, int rounds) {
  co_await Pause{ring};
  const uintptr_t first = co_await depth();
  uintptr_t last = first;
  for (int i = 0; i < rounds; ++i) last = co_await depth();
  co_return first - last;
}

Task<int> twice() { co_return co_await answer() + co_await answer(); }

}  // namespace

class TaskTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { ring_ = std::move(*Ring::create(RingKind::immediate)); }

  void awaitsAnotherTask() { QCOMPARE(run_task(*ring_, twice()), 84); }

  // Also where the compiler makes no jumps of transfers (the presets dev and asan).
  void aLoopOverTasksThatNeverSuspendDoesNotDeepenTheStack() {
    QCOMPARE(run_task(*ring_, change_of_depth(*ring_, 10000)), 0u);
  }

  void whenAllOfNothingIsDone() { QVERIFY(run_task(*ring_, when_all({})).has_value()); }

  void whenAllOfTasksThatNeverSuspend() {
    std::vector<int> ended;
    std::vector<Task<Result<void>>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(record(*ring_, 0, i, ended));
    QVERIFY(run_task(*ring_, when_all(std::move(tasks))).has_value());
    QCOMPARE(ended, (std::vector{0, 1, 2}));
  }

  void whenAllRunsTasksAtOnce() {
    std::vector<int> ended;
    std::vector<Task<Result<void>>> tasks;
    for (int i = 0; i < 4; ++i) tasks.push_back(record(*ring_, 4 - i, i, ended));
    QVERIFY(run_task(*ring_, when_all(std::move(tasks))).has_value());
    QCOMPARE(ended, (std::vector{3, 2, 1, 0}));
  }

  void whenAllWaitsForTheOthersAndReportsTheFirstError() {
    std::vector<int> ended;
    std::vector<Task<Result<void>>> tasks;
    tasks.push_back(fail(*ring_, 3, "second"));
    tasks.push_back(fail(*ring_, 1, "first"));
    tasks.push_back(record(*ring_, 5, 7, ended));
    const Result<void> result = run_task(*ring_, when_all(std::move(tasks)));
    QVERIFY(!result);
    QCOMPARE(result.error().cause, std::string("first"));
    QCOMPARE(ended, (std::vector{7}));
  }

 private:
  std::unique_ptr<Ring> ring_;
};

QTEST_GUILESS_MAIN(TaskTest)
#include "task_test.moc"
