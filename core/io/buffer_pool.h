// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"

namespace disklathe {

// The buffers of a job, and the bound on its bytes in flight: a slot that would exceed it waits until another is done.
// Buffers are handed out last-returned first, so that no more memory is touched than is needed. Any thread.
class BufferPool {
 public:
  class Lease;
  class Waiting;

  // buffer_size: of each buffer, bytes. budget: of all leases together; one lease is always given.
  BufferPool(uint64_t buffer_size, uint32_t alignment, uint64_t budget)
      : buffer_size_(buffer_size), alignment_(alignment), budget_(budget) {}

  // Awaitable: a Lease on a buffer of which `bytes` (at most buffer_size) will be used.
  Waiting lease(Ring& ring, uint64_t bytes);

 private:
  struct Waiter {
    uint64_t bytes;
    Ring* ring;
    std::coroutine_handle<> coroutine;
  };

  bool fits(uint64_t bytes) const { return leased_ == 0 || leased_ + bytes <= budget_; }
  AlignedBuffer take();
  void give_back(AlignedBuffer buffer, uint64_t bytes);

  const uint64_t buffer_size_;
  const uint32_t alignment_;
  const uint64_t budget_;
  std::mutex mutex_;
  uint64_t leased_ = 0;
  std::vector<AlignedBuffer> free_;
  std::vector<Waiter> waiters_;  // first come, first served
};

// A buffer until it goes out of scope. Nothing may be in flight on it then.
class BufferPool::Lease {
 public:
  Lease(BufferPool& pool, AlignedBuffer buffer, uint64_t bytes)
      : pool_(&pool), buffer_(std::move(buffer)), bytes_(bytes) {}
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), buffer_(std::move(other.buffer_)), bytes_(other.bytes_) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (pool_ != nullptr) pool_->give_back(std::move(buffer_), bytes_);
  }

  AlignedBuffer& buffer() { return buffer_; }

 private:
  BufferPool* pool_;
  AlignedBuffer buffer_;
  uint64_t bytes_;
};

class BufferPool::Waiting {
 public:
  Waiting(BufferPool& pool, Ring& ring, uint64_t bytes) : pool_(pool), ring_(ring), bytes_(bytes) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  Lease await_resume();

 private:
  BufferPool& pool_;
  Ring& ring_;
  uint64_t bytes_;
};

}  // namespace disklathe
