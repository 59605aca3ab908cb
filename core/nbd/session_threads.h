// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/io/ring.h"

namespace disklathe::nbd {

// Threads that serve clients. One that has a ring serves another client when its own has left: a ring belongs to the
// thread that uses it, and a server that has locked itself in cannot make any (reserve_rings). The others end.
class SessionThreads {
 public:
  SessionThreads() = default;
  SessionThreads(const SessionThreads&) = delete;
  SessionThreads& operator=(const SessionThreads&) = delete;
  // Waits for all work.
  ~SessionThreads();

  // The thread's own ring, made when it is first asked for.
  using RingOf = std::function<Result<Ring*>()>;
  using Work = std::function<void(const RingOf&)>;

  // On a thread that has nothing to do, or a new one. False: there can be no more.
  bool start(Work work);

 private:
  struct One {
    std::thread thread;
    std::condition_variable woken;
    Work work;  // empty: nothing to do
  };
  void run(std::list<One>::iterator one);
  void join_ended();

  std::mutex mutex_;
  std::list<One> threads_, ended_;
  std::vector<std::list<One>::iterator> idle_;  // the last one had work most recently
  bool ending_ = false;
};

}  // namespace disklathe::nbd
