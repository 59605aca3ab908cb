// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"

namespace disklathe {

// The buffers of a job, and the bound on its bytes in flight: a slot that would exceed it waits until another is done.
// Buffers are handed out last-returned first, so that no more memory is touched than is needed. Any thread.
//
// The bound holds for the memory, too: where leases of another size would make the pages touched more than the budget,
// those that no lease uses are given back to the system.
class BufferPool {
 public:
  class Lease;
  class Waiting;

  // buffer_size: of each buffer, bytes. budget: of all leases together; one lease is always given.
  BufferPool(uint64_t buffer_size, uint32_t alignment, uint64_t budget)
      : buffer_size_(buffer_size), alignment_(alignment), budget_(budget) {}

  // Awaitable: a Lease on a buffer of which `bytes` (at most buffer_size) will be used, from its start. What lies
  // behind them may become zero at any time.
  Waiting lease(Ring& ring, uint64_t bytes);

 private:
  struct Buffer {
    AlignedBuffer memory;
    uint64_t leased = 0;   // bytes; 0: free
    uint64_t touched = 0;  // bytes from the start that may have pages
  };
  struct Waiter {
    uint64_t bytes;
    Ring* ring;
    std::coroutine_handle<> coroutine;
  };

  bool fits(uint64_t bytes) const { return leased_ == 0 || leased_ + bytes <= budget_; }
  Buffer& take(uint64_t bytes);
  void give_back(Buffer& buffer);
  void forget_unused();

  const uint64_t buffer_size_;
  const uint32_t alignment_;
  const uint64_t budget_;
  std::mutex mutex_;
  uint64_t leased_ = 0, touched_ = 0;  // bytes, of all buffers
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;
  std::vector<Waiter> waiters_;  // first come, first served
};

// A buffer until it goes out of scope. Nothing may be in flight on it then.
class BufferPool::Lease {
 public:
  Lease(BufferPool& pool, Buffer& buffer) : pool_(&pool), buffer_(&buffer) {}
  Lease(Lease&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), buffer_(other.buffer_) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (pool_ != nullptr) pool_->give_back(*buffer_);
  }

  AlignedBuffer& buffer() { return buffer_->memory; }

 private:
  BufferPool* pool_;
  Buffer* buffer_;
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
