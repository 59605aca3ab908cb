// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/target_gate.h"

#include <algorithm>

namespace disklathe {
namespace {

constexpr unsigned most_commands = 2;
constexpr Clock::Time most_command_time = std::chrono::milliseconds(100);

}  // namespace

TargetGate::Waiting TargetGate::enter(Ring& ring, Use use, Clock::Time expected) {
  return {*this, ring, use, expected};
}

bool TargetGate::admits(Use use, Clock::Time expected) const {
  if (alone_) return false;
  switch (use) {
    case Use::data: return true;
    case Use::zeroes: return zero_writes_ < most_zero_writes_;
    case Use::command:
      return commands_ == 0 || (commands_ < most_commands && command_time_ + expected <= most_command_time);
    case Use::alone: return data_ + zero_writes_ + commands_ == 0;
  }
  return false;
}

void TargetGate::count(Use use, Clock::Time expected) {
  switch (use) {
    case Use::data: ++data_; break;
    case Use::zeroes: ++zero_writes_; break;
    case Use::command:
      ++commands_;
      command_time_ += expected;
      break;
    case Use::alone: alone_ = true; break;
  }
}

bool TargetGate::Waiting::await_suspend(std::coroutine_handle<> waiter) {
  const std::scoped_lock lock(gate_.mutex_);
  const bool held_up =
      std::ranges::any_of(gate_.waiters_, [&](const Waiter& w) { return w.use == Use::alone || w.use == use_; });
  if (!held_up && gate_.admits(use_, expected_)) {
    gate_.count(use_, expected_);
    return false;
  }
  gate_.waiters_.push_back({use_, expected_, &ring_, waiter});
  return true;
}

void TargetGate::leave(Use use, Clock::Time expected) {
  const std::scoped_lock lock(mutex_);
  switch (use) {
    case Use::data: --data_; break;
    case Use::zeroes: --zero_writes_; break;
    case Use::command:
      --commands_;
      command_time_ -= expected;
      break;
    case Use::alone: alone_ = false; break;
  }
  unsigned held_up = 0;  // a bit a sort, of which one has to wait
  for (size_t i = 0; i < waiters_.size();) {
    const Waiter waiter = waiters_[i];
    const unsigned sort = 1U << static_cast<unsigned>(waiter.use);
    if ((held_up & sort) != 0 || !admits(waiter.use, waiter.expected)) {
      if (waiter.use == Use::alone) break;
      held_up |= sort;
      ++i;
      continue;
    }
    count(waiter.use, waiter.expected);
    waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
    waiter.ring->post(waiter.coroutine);
  }
}

}  // namespace disklathe
