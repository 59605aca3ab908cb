// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tuner.h"

#include <algorithm>

namespace disklathe {
namespace {

constexpr unsigned window_requests = 64;
constexpr Tuner::Time window_time = std::chrono::milliseconds(100);
constexpr Tuner::Time slow_request = std::chrono::seconds(5);
constexpr double worth_it = 1.05;

}  // namespace

std::string_view name_of(Tuner::Reason reason) {
  switch (reason) {
    case Tuner::Reason::start: return "start";
    case Tuner::Reason::trying: return "trying";
    case Tuner::Reason::faster: return "faster";
    case Tuner::Reason::settled: return "settled";
    case Tuner::Reason::slow_request: return "slow request";
  }
  return "";
}

Tuner::Choice Tuner::choice() const {
  const std::scoped_lock lock(mutex_);
  return {trying_, reason_};
}

void Tuner::record(uint64_t bytes, Time begun, Time done) {
  const std::scoped_lock lock(mutex_);
  if (reason_ == Reason::slow_request) return;
  if (done - begun > slow_request) {
    best_ = std::max(bounds_.least, trying_ / 2);
    return try_size(best_, Reason::slow_request);
  }
  if (reason_ == Reason::settled) return;
  // What was begun before this size was chosen says nothing about it; the first request begun after it opens the
  // window.
  if (settling_) {
    if (from_ == Time{0}) from_ = done;
    if (begun < from_) return;
    settling_ = false;
    from_ = done;
    return;
  }
  ++requests_;
  bytes_ += bytes;
  const Time passed = done - from_;
  if (requests_ < window_requests || passed < window_time) return;
  close_window(static_cast<double>(bytes_) / std::chrono::duration<double>(passed).count());
}

void Tuner::close_window(double rate) {
  requests_ = 0;
  bytes_ = 0;
  settling_ = true;
  from_ = Time{0};
  if (best_rate_ == 0) {
    best_rate_ = rate;
    if (!step(Direction::up)) turn();
    return;
  }
  compare(rate);
}

// The window measured a candidate.
void Tuner::compare(double rate) {
  if (rate <= best_rate_ * worth_it) {
    gained_once_ = false;
    return turn();
  }
  if (!gained_once_) {
    gained_once_ = true;
    return;  // once more: one window may be luck
  }
  gained_once_ = false;
  best_ = trying_;
  best_rate_ = rate;
  reason_ = Reason::faster;
  turned_ = true;  // what gained in this direction needs no look at the other
  if (!step(direction_)) try_size(best_, Reason::settled);
}

// This direction has nothing more to give.
void Tuner::turn() {
  if (!turned_) {
    turned_ = true;
    if (step(Direction::down)) return;
  }
  try_size(best_, Reason::settled);
}

bool Tuner::step(Direction direction) {
  direction_ = direction;
  const uint64_t next = direction == Direction::up ? best_ * 2 : best_ / 2;
  if (next > bounds_.most || next < bounds_.least || next % bounds_.unit != 0) return false;
  try_size(next, Reason::trying);
  return true;
}

void Tuner::try_size(uint64_t size, Reason reason) {
  trying_ = size;
  reason_ = reason;
  requests_ = 0;
  bytes_ = 0;
  settling_ = true;
  from_ = Time{0};
}

}  // namespace disklathe
