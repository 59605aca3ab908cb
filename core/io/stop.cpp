// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace disklathe {

Stop::~Stop() {
  if (const int event = event_.load(); event >= 0) close(event);
}

// Whichever comes second, the request or the descriptor, sees the other: both orders are sequentially consistent.
void Stop::request() noexcept {
  const int error = errno;
  state_.store(State::over);
  state_.notify_all();
  if (const int event = event_.load(); event >= 0) (void)eventfd_write(event, 1);
  errno = error;
}

void Stop::pause() noexcept {
  auto seen = State::going;
  if (state_.compare_exchange_strong(seen, State::paused)) clock_.pause();
}

void Stop::resume() noexcept {
  if (!paused()) return;
  clock_.resume();
  auto seen = State::paused;
  if (state_.compare_exchange_strong(seen, State::going)) state_.notify_all();
}

int Stop::descriptor() const noexcept {
  if (const int event = event_.load(); event >= 0) return event;
  const int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made < 0) return -1;
  int expected = -1;
  if (!event_.compare_exchange_strong(expected, made)) {
    close(made);
    return expected;
  }
  if (state_.load() == State::over) (void)eventfd_write(made, 1);
  return made;
}

}  // namespace disklathe
