// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer_pool.h"

namespace disklathe {

BufferPool::Waiting BufferPool::lease(Ring& ring, uint64_t bytes) { return {*this, ring, bytes}; }

// The bytes are accounted for here, or by give_back() on behalf of who waits; await_resume() only fetches the buffer.
bool BufferPool::Waiting::await_suspend(std::coroutine_handle<> waiter) {
  const std::scoped_lock lock(pool_.mutex_);
  if (pool_.waiters_.empty() && pool_.fits(bytes_)) {
    pool_.leased_ += bytes_;
    return false;
  }
  pool_.waiters_.push_back({bytes_, &ring_, waiter});
  return true;
}

BufferPool::Lease BufferPool::Waiting::await_resume() { return {pool_, pool_.take(), bytes_}; }

AlignedBuffer BufferPool::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return AlignedBuffer(buffer_size_, alignment_);
  AlignedBuffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void BufferPool::give_back(AlignedBuffer buffer, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(buffer));
  leased_ -= bytes;
  while (!waiters_.empty() && fits(waiters_.front().bytes)) {
    const Waiter waiter = waiters_.front();
    waiters_.erase(waiters_.begin());
    leased_ += waiter.bytes;
    waiter.ring->post(waiter.coroutine);
  }
}

}  // namespace disklathe
