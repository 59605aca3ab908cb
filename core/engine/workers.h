// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "core/base/result.h"
#include "core/engine/plan.h"
#include "core/io/ring.h"
#include "core/io/stop.h"

namespace disklathe {

// The state that all slots of a job share about going on: the first error wins, the others drain.
class JobState {
 public:
  explicit JobState(const Stop& stop) : stop_(stop) {}

  // No new piece is to be begun. Asked before each one; waits while the job is paused.
  bool over() const {
    stop_.wait_while_paused();
    return over_.load(std::memory_order_relaxed) || stop_.requested();
  }
  // Readable once a stop was asked for (see Stop).
  int stop_descriptor() const { return stop_.descriptor(); }
  void fail(Error error);
  // Ends the job early without an error.
  void finish() { over_ = true; }
  // The first error, or kind `stopped` when a stop was asked for.
  Result<void> result(std::string_view operation);

 private:
  const Stop& stop_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::optional<Error> first_;
};

// Starts plan.workers threads (the calling one among them), each with a ring and plan.slots_per_worker coroutines made
// by `slot`, and waits for all of them. A slot reports through `state`.
void run_workers(const Plan& plan, JobState& state, const std::function<Task<void>(Ring&)>& slot);

}  // namespace disklathe
