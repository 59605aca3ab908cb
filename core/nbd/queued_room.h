// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <cstdint>

#include "core/nbd/queued_session.h"

namespace disklathe::nbd {

// Awaitable, by the receiver of a session only: goes on when another request, and so many bytes, may be in flight.
struct Room {
  static constexpr uint64_t alone = UINT64_MAX;  // nothing else may be

  QueuedSession& session;
  uint64_t bytes;

  bool await_ready() const { return session.fits(bytes); }
  void await_suspend(std::coroutine_handle<> waiter) {
    session.waiter_ = waiter;
    session.wanted_ = bytes;
  }
  void await_resume() {
    ++session.in_flight_;
    if (bytes != alone) session.leased_ += bytes;
  }
};

}  // namespace disklathe::nbd
