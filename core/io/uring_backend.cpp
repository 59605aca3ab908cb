// SPDX-License-Identifier: GPL-3.0-or-later
#include <liburing.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/io/io_backend.h"

namespace disklathe {
namespace {

// Of those that are kept in reserve there may be many, and what is not in a queue yet waits outside of it.
struct Entries {
  unsigned submission = 256, completion = 2048;
};
constexpr Entries reserved_entries{.submission = 64, .completion = 512};

class UringBackend final : public IoBackend {
 public:
  explicit UringBackend(WakeEvent wake) : wake_(std::move(wake)) {}
  UringBackend(const UringBackend&) = delete;
  UringBackend& operator=(const UringBackend&) = delete;
  ~UringBackend() override {
    if (open_) io_uring_queue_exit(&ring_);
  }

  // 0 or -errno. extra: more flags of io_uring_setup().
  int setup(Entries entries = {}, unsigned extra = 0) {
    // The flags spare interrupts to this thread for every completion; kernels before 6.1 do not know them.
    for (const unsigned flags : {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0U}) {
      io_uring_params parameters{};
      parameters.flags = flags | extra | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
      parameters.cq_entries = entries.completion;
      const int result = io_uring_queue_init_params(entries.submission, &ring_, &parameters);
      if (result == 0) {
        open_ = true;
        capacity_ = parameters.cq_entries;
        return 0;
      }
      if (result != -EINVAL) return result;
    }
    return -EINVAL;
  }

  // The ring exists from now on, restricted for good to the requests that prepare() makes, and can be used after
  // enable(). 0 or -errno.
  int setup_restricted() {
    if (const int result = setup(reserved_entries, IORING_SETUP_R_DISABLED); result < 0) return result;
    constexpr std::array<uint8_t, 5> requests{IORING_OP_READV, IORING_OP_WRITEV, IORING_OP_FSYNC, IORING_OP_FALLOCATE,
                                              IORING_OP_POLL_ADD};
    std::array<io_uring_restriction, requests.size()> restrictions{};
    for (size_t i = 0; i < requests.size(); ++i) {
      restrictions[i].opcode = IORING_RESTRICTION_SQE_OP;
      restrictions[i].sqe_op = requests[i];
    }
    return io_uring_register_restrictions(&ring_, restrictions.data(), static_cast<unsigned>(restrictions.size()));
  }

  // By the thread that will use it. 0 or -errno.
  int enable() { return io_uring_enable_rings(&ring_); }

  void submit(Ring::Operation& operation) override {
    if (!backlog_.empty() || !enqueue(operation)) backlog_.push_back(&operation);
  }

  void start() override {
    if (io_uring_sq_ready(&ring_) > 0) (void)io_uring_submit(&ring_);
  }

  void wait() override {
    if (!wake_armed_) arm_wake();
    // A failure here (EINTR, or EAGAIN and EBUSY under pressure) leaves requests queued: completions are reaped, and
    // the next wait() tries again.
    (void)io_uring_submit_and_wait(&ring_, 1);
    reap();
    while (!backlog_.empty() && enqueue(*backlog_.front())) backlog_.pop_front();
  }

  void wake() override { wake_.raise(); }

 private:
  // False: no room. in_flight_ never exceeds the completion queue, so that it cannot overflow.
  bool enqueue(Ring::Operation& operation) {
    if (in_flight_ >= capacity_) return false;
    io_uring_sqe* entry = next_entry();
    if (entry == nullptr) return false;
    prepare(*entry, operation.request());
    io_uring_sqe_set_data(entry, &operation);
    ++in_flight_;
    return true;
  }

  io_uring_sqe* next_entry() {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry != nullptr) return entry;
    (void)io_uring_submit(&ring_);
    return io_uring_get_sqe(&ring_);
  }

  static void prepare(io_uring_sqe& entry, const IoRequest& request) {
    const auto count = static_cast<unsigned>(request.vectors.size());
    switch (request.op) {
      case IoOp::read:
        io_uring_prep_readv2(&entry, request.fd, request.vectors.data(), count, request.at, request.flags);
        break;
      case IoOp::write:
        io_uring_prep_writev2(&entry, request.fd, request.vectors.data(), count, request.at, request.flags);
        break;
      case IoOp::sync_data: io_uring_prep_fsync(&entry, request.fd, IORING_FSYNC_DATASYNC); break;
      case IoOp::allocate:
        io_uring_prep_fallocate(&entry, request.fd, request.flags, request.at, request.length);
        break;
      case IoOp::poll: io_uring_prep_poll_add(&entry, request.fd, static_cast<unsigned>(request.flags)); break;
    }
  }

  // One poll of the eventfd is always with the kernel; it is told from requests by having no operation.
  void arm_wake() {
    io_uring_sqe* entry = in_flight_ < capacity_ ? next_entry() : nullptr;
    if (entry == nullptr) return;  // completions are due: wait() returns without being woken
    io_uring_prep_poll_add(entry, wake_.fd(), POLLIN);
    io_uring_sqe_set_data(entry, nullptr);
    ++in_flight_;
    wake_armed_ = true;
  }

  // A resumed coroutine may submit, and so change the queues: completions are taken out in batches first.
  void reap() {
    std::array<io_uring_cqe*, 64> entries;
    std::array<std::pair<Ring::Operation*, int>, entries.size()> done;
    for (;;) {
      const unsigned count = io_uring_peek_batch_cqe(&ring_, entries.data(), entries.size());
      if (count == 0) return;
      for (unsigned i = 0; i < count; ++i) {
        done[i] = {static_cast<Ring::Operation*>(io_uring_cqe_get_data(entries[i])), entries[i]->res};
      }
      io_uring_cq_advance(&ring_, count);
      in_flight_ -= count;
      for (unsigned i = 0; i < count; ++i) {
        if (done[i].first != nullptr) {
          done[i].first->complete(done[i].second);
          start();
        } else {
          wake_.drain();
          wake_armed_ = false;
        }
      }
      if (count < entries.size()) return;
    }
  }

  WakeEvent wake_;
  io_uring ring_{};
  bool open_ = false;
  bool wake_armed_ = false;
  unsigned capacity_ = 0;
  unsigned in_flight_ = 0;
  std::deque<Ring::Operation*> backlog_;  // waiting for room in the queues
};

// What reserve_rings() has made and nobody has taken yet.
struct Reserve {
  std::mutex mutex;
  bool closed = false;  // no others can be made
  std::vector<std::unique_ptr<UringBackend>> rings;
};
Reserve& reserve() {
  static Reserve the_one;
  return the_one;
}

Result<std::unique_ptr<IoBackend>> take_reserved(Reserve& reserve) {
  if (reserve.rings.empty()) return failure(os_failure(EPERM, "create", "io_uring"));
  std::unique_ptr<UringBackend> backend = std::move(reserve.rings.back());
  reserve.rings.pop_back();
  if (const int result = backend->enable(); result < 0) return failure(os_failure(-result, "create", "io_uring"));
  return backend;
}

}  // namespace

unsigned reserve_rings(unsigned count) {
  Reserve& all = reserve();
  const std::lock_guard lock(all.mutex);
  all.closed = true;
  while (all.rings.size() < count) {
    Result<WakeEvent> wake = WakeEvent::create();
    if (!wake) break;
    auto backend = std::make_unique<UringBackend>(std::move(*wake));
    if (backend->setup_restricted() < 0) break;
    all.rings.push_back(std::move(backend));
  }
  return static_cast<unsigned>(all.rings.size());
}

Result<std::unique_ptr<IoBackend>> make_uring_backend() {
  {
    Reserve& all = reserve();
    const std::lock_guard lock(all.mutex);
    if (all.closed) return take_reserved(all);
  }
  Result<WakeEvent> wake = WakeEvent::create();
  if (!wake) return failure(wake);
  auto backend = std::make_unique<UringBackend>(std::move(*wake));
  if (const int result = backend->setup(); result < 0) return failure(os_failure(-result, "create", "io_uring"));
  return backend;
}

}  // namespace disklathe
