// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/turnstile.h"

#include <algorithm>

namespace disklathe {

Turnstile::Turn Turnstile::enter(Ring& ring, uint64_t ticket) { return {*this, ring, ticket}; }

bool Turnstile::Turn::await_suspend(std::coroutine_handle<> waiter) {
  const std::scoped_lock lock(turnstile_.mutex_);
  if (turnstile_.abandoned_ || turnstile_.now_ == ticket_) return false;
  turnstile_.waiters_.push_back({ticket_, &ring_, waiter});
  return true;
}

bool Turnstile::Turn::await_resume() {
  const std::scoped_lock lock(turnstile_.mutex_);
  return !turnstile_.abandoned_;
}

void Turnstile::leave() {
  const std::scoped_lock lock(mutex_);
  ++now_;
  const auto next = std::ranges::find(waiters_, now_, &Waiter::ticket);
  if (next == waiters_.end()) return;
  next->ring->post(next->coroutine);
  waiters_.erase(next);
}

void Turnstile::abandon() {
  const std::scoped_lock lock(mutex_);
  abandoned_ = true;
  for (const Waiter& waiter : waiters_) waiter.ring->post(waiter.coroutine);
  waiters_.clear();
}

}  // namespace disklathe
