// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/io/io_backend.h"
#include "core/io/ring.h"
#include "core/nbd/libnbd.h"

namespace disklathe::nbd {

// What is waited for: one or several commands, on one connection or several. Lives until all of them are done.
class RemoteCall {
 public:
  // Before each command is given to a connection, and once after the last one was.
  void add() { left_.fetch_add(1); }
  // True: nothing is under way any more.
  bool complete(int os_error);
  int error() const { return error_; }

  // Who is told at the end: a coroutine on its ring, or the thread in wait().
  void resume(Ring& ring, std::coroutine_handle<> waiter) {
    ring_ = &ring;
    waiter_ = waiter;
  }
  void finish();
  void wait();

 private:
  std::atomic<unsigned> left_{1};  // one for who adds
  std::atomic<int> error_{0};
  Ring* ring_ = nullptr;
  std::coroutine_handle<> waiter_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
};

// A connection to a server, and the thread that speaks on it. Any thread.
class RemoteConnection {
 public:
  static Result<std::unique_ptr<RemoteConnection>> open(const std::string& uri);
  ~RemoteConnection();
  RemoteConnection(const RemoteConnection&) = delete;
  RemoteConnection& operator=(const RemoteConnection&) = delete;

  struct Facts {
    uint64_t size = 0;
    uint64_t minimum_block = 1;  // a power of 2; requests are multiples of it
    uint64_t max_payload = 32 << 20;
    bool read_only = false, rotational = false, can_zero = false, can_flush = false, can_multi_conn = false;
    bool has_allocation = false;  // block status
    bool long_lengths = false;    // of more than 32 bits
  };
  const Facts& facts() const { return facts_; }

  void read(RemoteCall& call, uint64_t at, MutableBytes into);
  void write(RemoteCall& call, uint64_t at, Bytes from);
  void zero(RemoteCall& call, uint64_t at, uint64_t length, bool keep);
  void flush(RemoteCall& call);
  // Told of each run of base:allocation; false stops it with an error.
  using TellRun = bool (*)(void* told, uint64_t length, uint64_t flags);
  void block_status(RemoteCall& call, uint64_t at, uint64_t length, TellRun tell, void* told);

 private:
  RemoteConnection(const LibNbd& api, nbd_handle* handle, WakeEvent wake);
  Result<void> find_facts();
  void run();
  void submitted(RemoteCall& call, int64_t cookie);

  const LibNbd& api_;
  nbd_handle* const handle_;
  const WakeEvent wake_;
  Facts facts_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace disklathe::nbd
