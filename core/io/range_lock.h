// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <list>
#include <mutex>
#include <utility>

#include "core/base/range.h"
#include "core/io/ring.h"

namespace disklathe {

// Ranges of something that coroutines of any thread hold for a while, with others or alone. First come, first served:
// who asks for a range waits for all who hold, or wait for, a part of it in a way that excludes him. A coroutine that
// holds a range must not ask for another one that overlaps it. Any thread; the lock outlives its holds.
class RangeLock {
 public:
  enum class Mode : uint8_t { shared, exclusive };
  class Hold;
  class Waiting;

  // Awaitable: a Hold on the range, which is not empty.
  Waiting lock(Ring& ring, Range range, Mode mode);

 private:
  struct Entry {
    Range range;
    Mode mode;
    Ring* ring = nullptr;  // of who waits; null: it is held
    std::coroutine_handle<> waiter;

    bool excludes(const Entry& other) const {
      return (mode == Mode::exclusive || other.mode == Mode::exclusive) && !intersection(range, other.range).empty();
    }
  };
  using Entries = std::list<Entry>;

  // Whether somebody who came before excludes it.
  bool has_to_wait(Entries::iterator entry);
  void release(Entries::iterator entry);

  std::mutex mutex_;
  Entries entries_;  // in the order they came
};

// A range until it goes out of scope.
class RangeLock::Hold {
 public:
  Hold(RangeLock& lock, Entries::iterator entry) : lock_(&lock), entry_(entry) {}
  Hold(Hold&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), entry_(other.entry_) {}
  Hold& operator=(Hold&&) = delete;
  ~Hold() {
    if (lock_ != nullptr) lock_->release(entry_);
  }

 private:
  RangeLock* lock_;
  Entries::iterator entry_;
};

class RangeLock::Waiting {
 public:
  Waiting(RangeLock& lock, Ring& ring, Range range, Mode mode) : lock_(lock), ring_(ring), range_(range), mode_(mode) {}
  static bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  Hold await_resume() { return {lock_, entry_}; }

 private:
  RangeLock& lock_;
  Ring& ring_;
  const Range range_;
  const Mode mode_;
  Entries::iterator entry_;
};

}  // namespace disklathe
