// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/workers.h"

#include <thread>
#include <vector>

namespace disklathe {

void JobState::fail(Error error) {
  const std::scoped_lock lock(mutex_);
  // A slot that was told to stop because another failed has nothing of its own to say.
  if (!first_ || first_->kind == ErrorKind::stopped) first_ = std::move(error);
  over_ = true;
}

Result<void> JobState::result(std::string_view operation) {
  const std::scoped_lock lock(mutex_);
  if (first_ && first_->kind != ErrorKind::stopped) return failure(*first_);
  if (stop_.requested() || first_) return failure(ErrorKind::stopped, operation, "stopped on request");
  return {};
}

namespace {

void work(const Plan& plan, JobState& state, const std::function<Task<void>(Ring&)>& slot) {
  auto ring = Ring::create(plan.ring);
  if (!ring) return state.fail(std::move(ring.error()));
  for (unsigned i = 0; i < plan.slots_per_worker; ++i) (*ring)->spawn(slot(**ring));
  (*ring)->run();
}

}  // namespace

void run_workers(const Plan& plan, JobState& state, const std::function<Task<void>(Ring&)>& slot) {
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < plan.workers; ++i) others.emplace_back([&] { work(plan, state, slot); });
  work(plan, state, slot);
}

}  // namespace disklathe
