// SPDX-License-Identifier: GPL-3.0-or-later
#include <poll.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/io/io_backend.h"

namespace disklathe {
namespace {

// As many requests as a device is usefully given at once by blocking calls; started one by one as they are needed.
constexpr size_t max_threads = 16;

class ThreadBackend final : public IoBackend {
 public:
  explicit ThreadBackend(WakeEvent wake) : wake_(std::move(wake)) {}
  ThreadBackend(const ThreadBackend&) = delete;
  ThreadBackend& operator=(const ThreadBackend&) = delete;
  ~ThreadBackend() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void submit(Ring::Operation& operation) override {
    if (operation.request().op == IoOp::poll) {
      polled_.push_back(&operation);  // the ring's own thread polls, see wait()
      return;
    }
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&operation);
      start = queue_.size() > idle_ && threads_.size() < max_threads;
    }
    if (start) start_thread();
    work_.notify_one();
  }

  void wait() override {
    poll_set_.clear();
    poll_set_.push_back({.fd = wake_.fd(), .events = POLLIN, .revents = 0});
    for (const Ring::Operation* operation : polled_) {
      const IoRequest& request = operation->request();
      poll_set_.push_back({.fd = request.fd, .events = static_cast<short>(request.flags), .revents = 0});
    }
    if (::poll(poll_set_.data(), poll_set_.size(), -1) < 0) return;

    if (poll_set_[0].revents != 0) {
      wake_.drain();  // before the list is taken: what is finished after it raises the event again
      const std::lock_guard lock(mutex_);
      done_.swap(finished_);
    }
    // Both lists leave the members before anything is resumed: a resumed coroutine may submit.
    std::vector<std::pair<Ring::Operation*, int64_t>> done = std::exchange(done_, {});
    size_t kept = 0;
    for (size_t i = 0; i < polled_.size(); ++i) {
      if (const short events = poll_set_[i + 1].revents; events != 0) {
        done.emplace_back(polled_[i], events);
      } else {
        polled_[kept++] = polled_[i];
      }
    }
    polled_.resize(kept);
    for (const auto& [operation, result] : done) operation->complete(result);
    done.clear();
    done_ = std::move(done);  // keeps its memory for the next time
  }

  void wake() override { wake_.raise(); }

 private:
  void start_thread() {
    try {
      threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // No more threads to be had: those there are do the work, and where there is none, this one does.
      if (threads_.empty()) serve_here();
    }
  }

  void serve_here() {
    const std::lock_guard lock(mutex_);
    for (; !queue_.empty(); queue_.pop_front()) {
      finished_.emplace_back(queue_.front(), execute(queue_.front()->request()));
    }
    wake_.raise();
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      work_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      Ring::Operation* operation = queue_.front();
      queue_.pop_front();
      lock.unlock();
      const int64_t result = execute(operation->request());
      lock.lock();
      finished_.emplace_back(operation, result);
      if (finished_.size() == 1) wake_.raise();
    }
  }

  WakeEvent wake_;
  // Of the ring's thread.
  std::vector<std::thread> threads_;
  std::vector<Ring::Operation*> polled_;
  std::vector<pollfd> poll_set_;
  std::vector<std::pair<Ring::Operation*, int64_t>> done_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::deque<Ring::Operation*> queue_;
  std::vector<std::pair<Ring::Operation*, int64_t>> finished_;
  size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace

Result<std::unique_ptr<IoBackend>> make_thread_backend() {
  Result<WakeEvent> wake = WakeEvent::create();
  if (!wake) return failure(wake);
  return std::make_unique<ThreadBackend>(std::move(*wake));
}

}  // namespace disklathe
