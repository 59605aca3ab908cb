// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace disklathe {

// A thread that takes no signals, whenever it is started: which thread does is for the program to say.
template <class... Work>
std::thread background_thread(Work&&... work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::forward<Work>(work)...);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace disklathe
