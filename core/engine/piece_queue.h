// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/engine/piece_cutter.h"
#include "core/io/buffer_pool.h"
#include "core/io/ring.h"

namespace disklathe {

// A piece with its bytes in memory.
struct FilledPiece {
  Piece piece;
  BufferPool::Lease lease;
};

// Hands filled pieces from the thread that reads them to the slots. It grows no further than the pool whose leases it
// holds. Any thread.
class PieceQueue {
 public:
  class Taking;

  void put(FilledPiece filled);
  // No more will be put.
  void close();
  // Drops what is there and what is still put: their leases go back.
  void abandon();

  // Awaitable: the oldest piece; nothing when there will be no more.
  Taking take(Ring& ring);

 private:
  struct Waiter {
    Ring* ring;
    std::coroutine_handle<> coroutine;
    std::optional<FilledPiece>* into;
  };

  std::mutex mutex_;
  std::deque<FilledPiece> filled_;
  std::deque<Waiter> waiters_;  // only while filled_ is empty
  bool closed_ = false, abandoned_ = false;
};

class PieceQueue::Taking {
 public:
  Taking(PieceQueue& queue, Ring& ring) : queue_(queue), ring_(ring) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  std::optional<FilledPiece> await_resume() { return std::move(taken_); }

 private:
  PieceQueue& queue_;
  Ring& ring_;
  std::optional<FilledPiece> taken_;
};

}  // namespace disklathe
