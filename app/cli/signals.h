// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>
#include <optional>

namespace disklathe::cli {

// Takes SIGINT, SIGTERM, SIGHUP and SIGUSR1 out of the way of every thread that is started afterwards, and hands them
// to whoever asks; nothing runs in a signal handler. Ignored ones (nohup) stay ignored. Signals that were never asked
// for take their usual effect when this goes.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Readable when there is one; -1 when the kernel gave none.
  int descriptor() const { return fd_; }
  std::optional<int> take();

 private:
  sigset_t before_{};
  int fd_ = -1;
};

}  // namespace disklathe::cli
