// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/io/io_backend.h"
#include "core/io/outside_call.h"
#include "core/nbd/libnbd.h"

namespace disklathe::nbd {

// A connection to a server, and the thread that speaks on it. Any thread.
class RemoteConnection {
 public:
  // patience: that the server has to let it in.
  static Result<std::unique_ptr<RemoteConnection>> open(const std::string& uri, std::chrono::milliseconds patience);
  ~RemoteConnection();
  RemoteConnection(const RemoteConnection&) = delete;
  RemoteConnection& operator=(const RemoteConnection&) = delete;

  struct Facts {
    uint64_t size = 0;
    uint64_t minimum_block = 1;  // a power of 2; requests are multiples of it
    uint64_t max_payload = 32 << 20;
    bool read_only = false, rotational = false, can_zero = false, can_trim = false, can_flush = false,
         can_multi_conn = false;
    bool has_allocation = false;  // block status
    bool long_lengths = false;    // of more than 32 bits
  };
  const Facts& facts() const { return facts_; }

  void read(OutsideCall& call, uint64_t at, MutableBytes into);
  void write(OutsideCall& call, uint64_t at, Bytes from);
  void zero(OutsideCall& call, uint64_t at, uint64_t length, bool keep);
  void trim(OutsideCall& call, uint64_t at, uint64_t length);
  void flush(OutsideCall& call);
  // Told of each run of base:allocation; false stops it with an error.
  using TellRun = bool (*)(void* told, uint64_t length, uint64_t flags);
  void block_status(OutsideCall& call, uint64_t at, uint64_t length, TellRun tell, void* told);

 private:
  RemoteConnection(const LibNbd& api, nbd_handle* handle, WakeEvent wake);
  Result<void> connect(const std::string& uri, std::chrono::milliseconds patience);
  Result<void> find_facts();
  void run();
  void submitted(OutsideCall& call, int64_t cookie);

  const LibNbd& api_;
  nbd_handle* const handle_;
  const WakeEvent wake_;
  Facts facts_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace disklathe::nbd
