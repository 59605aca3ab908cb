// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/io/task.h"

namespace disklathe {

// How a descriptor's requests travel. It belongs to the descriptor, not to the caller: page cache and tmpfs answer a
// plain system call faster than a queue can (docs/adr), devices and direct I/O want many requests in flight.
enum class IoMode : uint8_t { immediate, queued };

struct FileHandle {
  int fd = -1;
  IoMode mode = IoMode::immediate;
};

enum class IoOp : uint8_t { read, write, sync_data, allocate, poll };

// Bytes the vectors hold together.
inline uint64_t length_of(std::span<const iovec> vectors) {
  uint64_t length = 0;
  for (const iovec& vector : vectors) length += vector.iov_len;
  return length;
}

// One request as the kernel sees it. Memory that it names (vectors, buffers) belongs to the kernel until the
// completion arrives.
struct IoRequest {
  IoOp op = IoOp::read;
  int fd = -1;
  uint64_t at = 0;
  std::span<const iovec> vectors;  // read, write
  uint64_t length = 0;             // allocate
  int flags = 0;                   // allocate: FALLOC_FL_*; poll: POLL*; read, write: RWF_*
};

// Carries requests to the kernel and their results (bytes, or -errno) back.
class IoBackend;

enum class RingKind : uint8_t {
  immediate,  // no queue: for jobs whose descriptors all are immediate. A queued request is still served, by threads
  automatic,  // io_uring, or threads where the kernel forbids it
  uring,
  threads,
};

// One thread's event loop: coroutines started with spawn() run here and nowhere else. Not movable; everything but
// post() is called on the thread that called create(), and run() returns before the ring is destroyed.
class Ring {
 public:
  static Result<std::unique_ptr<Ring>> create(RingKind kind = RingKind::automatic);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // What create() chose: never automatic.
  RingKind kind() const { return kind_; }

  // Starts the task now; the ring owns it until it is done.
  void spawn(Task<void> task);

  // Until every spawned task is done.
  void run();

  // From any thread: resume this coroutine on this ring's thread, from within run().
  void post(std::coroutine_handle<> coroutine);

  // Awaitable, on the ring's own thread: goes on in the ring's next turn, when all that has completed by now has been
  // dealt with.
  class Turn;
  Turn next_turn();

  // Awaitable; the result is bytes done or -errno, one system call's worth (it may be short).
  class Operation;
  Operation perform(const FileHandle& file, const IoRequest& request);

 private:
  struct Root;
  Ring(RingKind kind, std::unique_ptr<IoBackend> backend);

  RingKind kind_;
  std::unique_ptr<IoBackend> backend_;
  size_t running_ = 0;
  bool inside_run_ = false;
  std::vector<std::coroutine_handle<>> next_;  // go on in the next turn
  std::mutex posted_mutex_;
  std::vector<std::coroutine_handle<>> posted_;
};

class Ring::Turn {
 public:
  explicit Turn(Ring& ring) : ring_(ring) {}
  static bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { ring_.next_.push_back(waiter); }
  static void await_resume() {}

 private:
  Ring& ring_;
};

class Ring::Operation {
 public:
  Operation(Ring& ring, IoMode mode, const IoRequest& request) : ring_(ring), mode_(mode), request_(request) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  bool await_ready();
  void await_suspend(std::coroutine_handle<> waiter);
  int64_t await_resume() const { return result_; }

  const IoRequest& request() const { return request_; }

  // Called by the backend on the ring's thread.
  void complete(int64_t result) {
    result_ = result;
    waiter_.resume();
  }

 private:
  Ring& ring_;
  IoMode mode_;
  IoRequest request_;
  int64_t result_ = 0;
  std::coroutine_handle<> waiter_;
};

// For a process that is about to give up the right to make rings: makes so many on io_uring, each able to do nothing
// but the IoOps. From now on create() hands those out, and when there are no more, threads; each to the thread that
// calls it. Returns how many there are: none where the kernel has no io_uring, or cannot restrict it.
unsigned reserve_rings(unsigned count);

// The whole of the vectors, resubmitting what came short. A read that meets the end of the file fails with kind
// `changed`: every caller asks only for bytes that were there when the file was opened. offset in the error is where it
// stopped.
Task<Result<void>> read_all(Ring& ring, FileHandle file, uint64_t at, std::span<const iovec> vectors);
Task<Result<void>> write_all(Ring& ring, FileHandle file, uint64_t at, std::span<const iovec> vectors);

// The same by blocking calls.
Result<void> read_all_now(int fd, uint64_t at, std::span<const iovec> vectors);
Result<void> write_all_now(int fd, uint64_t at, std::span<const iovec> vectors);

}  // namespace disklathe
