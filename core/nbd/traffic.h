// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace disklathe::nbd {

// What a connection has done so far: written by its session, read by whoever watches. Any thread.
struct Traffic {
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> bytes_read{0}, bytes_written{0};  // of the export, by the client

  void count(uint64_t read, uint64_t written) {
    requests.fetch_add(1, std::memory_order_relaxed);
    if (read) bytes_read.fetch_add(read, std::memory_order_relaxed);
    if (written) bytes_written.fetch_add(written, std::memory_order_relaxed);
  }
};

}  // namespace disklathe::nbd
