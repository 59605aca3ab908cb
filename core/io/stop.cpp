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
  requested_.store(true);
  if (const int event = event_.load(); event >= 0) (void)eventfd_write(event, 1);
  errno = error;
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
  if (requested_.load()) (void)eventfd_write(made, 1);
  return made;
}

}  // namespace disklathe
