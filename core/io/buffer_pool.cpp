// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer_pool.h"

#include <ranges>

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

BufferPool::Lease BufferPool::Waiting::await_resume() { return {pool_, pool_.take(bytes_)}; }

BufferPool::Buffer& BufferPool::take(uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    buffers_.push_back(std::make_unique<Buffer>(AlignedBuffer(buffer_size_, alignment_)));
    free_.push_back(buffers_.back().get());
  }
  Buffer& buffer = *free_.back();
  free_.pop_back();
  buffer.leased = bytes;
  if (bytes > buffer.touched) {
    touched_ += bytes - buffer.touched;
    buffer.touched = bytes;
    forget_unused();
  }
  return buffer;
}

// The buffers made last are used least.
void BufferPool::forget_unused() {
  for (auto& buffer : buffers_ | std::views::reverse) {
    if (touched_ <= budget_) return;
    if (buffer->touched <= buffer->leased) continue;
    buffer->memory.forget(buffer->leased);
    touched_ -= buffer->touched - buffer->leased;
    buffer->touched = buffer->leased;
  }
}

void BufferPool::give_back(Buffer& buffer) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(&buffer);
  leased_ -= std::exchange(buffer.leased, 0);
  while (!waiters_.empty() && fits(waiters_.front().bytes)) {
    const Waiter waiter = waiters_.front();
    waiters_.erase(waiters_.begin());
    leased_ += waiter.bytes;
    waiter.ring->post(waiter.coroutine);
  }
}

}  // namespace disklathe
