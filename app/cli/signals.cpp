// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace disklathe::cli {

SignalWatch::SignalWatch() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    struct sigaction current{};
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) sigaddset(&wanted, signal);
  }
  fd_ = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd_ >= 0) pthread_sigmask(SIG_BLOCK, &wanted, &before_);
}

SignalWatch::~SignalWatch() {
  if (fd_ < 0) return;
  close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalWatch::take() {
  signalfd_siginfo info{};
  if (fd_ < 0 || read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace disklathe::cli
