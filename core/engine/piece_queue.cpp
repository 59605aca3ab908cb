// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_queue.h"

namespace disklathe {

PieceQueue::Taking PieceQueue::take(Ring& ring) { return {*this, ring}; }

bool PieceQueue::Taking::await_suspend(std::coroutine_handle<> waiter) {
  const std::scoped_lock lock(queue_.mutex_);
  if (!queue_.filled_.empty()) {
    taken_.emplace(std::move(queue_.filled_.front()));
    queue_.filled_.pop_front();
    return false;
  }
  if (queue_.closed_) return false;
  queue_.waiters_.push_back({&ring_, waiter, &taken_});
  return true;
}

void PieceQueue::put(FilledPiece filled) {
  const std::scoped_lock lock(mutex_);
  if (abandoned_) return;
  if (waiters_.empty()) return filled_.push_back(std::move(filled));
  const Waiter waiter = waiters_.front();
  waiters_.pop_front();
  waiter.into->emplace(std::move(filled));
  waiter.ring->post(waiter.coroutine);
}

void PieceQueue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  for (const Waiter& waiter : waiters_) waiter.ring->post(waiter.coroutine);
  waiters_.clear();
}

void PieceQueue::abandon() {
  std::deque<FilledPiece> dropped;  // their leases go back outside of the lock
  {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
    dropped.swap(filled_);
  }
  close();
}

}  // namespace disklathe
