// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/session_threads.h"

#include <system_error>
#include <utility>

namespace disklathe::nbd {
namespace {

constexpr size_t most_idle = 128;

}  // namespace

SessionThreads::~SessionThreads() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  while (!threads_.empty()) {
    One& one = threads_.front();
    one.woken.notify_one();
    lock.unlock();
    one.thread.join();  // it has gone over to the ended ones by then
    lock.lock();
  }
  for (One& one : ended_)
    if (one.thread.joinable()) one.thread.join();
}

bool SessionThreads::start(Work work) {
  const std::scoped_lock lock(mutex_);
  for (One& one : ended_) one.thread.join();
  ended_.clear();
  if (!idle_.empty()) {
    idle_.back()->work = std::move(work);
    idle_.back()->woken.notify_one();
    idle_.pop_back();
    return true;
  }
  const auto one = threads_.emplace(threads_.end());
  one->work = std::move(work);
  try {
    one->thread = std::thread(&SessionThreads::run, this, one);
  } catch (const std::system_error&) {
    threads_.erase(one);
    return false;
  }
  return true;
}

void SessionThreads::run(std::list<One>::iterator one) {
  std::unique_ptr<Ring> ring;
  const RingOf ring_of = [&ring]() -> Result<Ring*> {
    if (!ring) {
      auto made = Ring::create(RingKind::automatic);
      if (!made) return failure(made);
      ring = std::move(*made);
    }
    return ring.get();
  };
  std::unique_lock lock(mutex_);
  while (one->work) {
    {
      const Work work = std::exchange(one->work, {});
      lock.unlock();
      work(ring_of);
    }
    lock.lock();
    if (!ring || ring->kind() != RingKind::uring || idle_.size() == most_idle) break;
    idle_.push_back(one);
    one->woken.wait(lock, [&] { return one->work || ending_; });
  }
  ended_.splice(ended_.end(), threads_, one);
}

}  // namespace disklathe::nbd
