// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <utility>

#include "core/io/ring.h"
#include "core/io/task.h"

namespace disklathe::test {

namespace detail {
template <class T>
Task<void> keep(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await task);
}
}  // namespace detail

// Runs one task on the ring until it is done, and returns what it gave.
template <class T>
T run_task(Ring& ring, Task<T> task) {
  std::optional<T> result;
  ring.spawn(detail::keep(std::move(task), result));
  ring.run();
  return std::move(*result);
}

}  // namespace disklathe::test
