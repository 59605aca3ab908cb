// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "core/base/clock.h"

namespace disklathe {

// Finds the request size that a device moves fastest with, on the real copy: what devices report says nothing about it,
// and larger is often slower. Measures windows of at least 64 requests and 100 ms; tries the double, then the half;
// keeps a step only when it gains more than 5 % twice. A request that takes over 5 s halves the size and ends the
// search. Any thread; time is given by the caller, so that a test needs none.
class Tuner {
 public:
  using Time = Clock::Time;

  struct Bounds {
    uint64_t start = 1 << 20, least = 64 << 10, most = 4 << 20;  // bytes; powers of two times `unit`
    uint64_t unit = 1;
  };

  // Why the size is what it is, for the log and for --progress=json.
  enum class Reason : uint8_t { start, trying, faster, settled, slow_request };
  struct Choice {
    uint64_t size = 0;
    Reason reason = Reason::start;
  };

  explicit Tuner(const Bounds& bounds) : bounds_(bounds), best_(bounds.start), trying_(bounds.start) {}

  Choice choice() const;

  // One request of `bytes` begun at `begun` was done at `done`. Only requests of the current size count for the search.
  void record(uint64_t bytes, Time begun, Time done);

 private:
  enum class Direction : uint8_t { none, up, down };

  void close_window(double rate);
  void compare(double rate);
  void turn();
  bool step(Direction direction);
  void try_size(uint64_t size, Reason reason);

  const Bounds bounds_;
  mutable std::mutex mutex_;
  uint64_t best_;
  double best_rate_ = 0;  // bytes per second; 0: not measured yet
  uint64_t trying_;
  Direction direction_ = Direction::none;
  bool turned_ = false;       // the other direction was tried, or is not worth it
  bool gained_once_ = false;  // the candidate was better in one window
  Reason reason_ = Reason::start;
  // The window being measured.
  unsigned requests_ = 0;
  uint64_t bytes_ = 0;
  Time from_{0};
  bool settling_ = true;  // requests of the size before are still coming in
};

std::string_view name_of(Tuner::Reason reason);

}  // namespace disklathe
