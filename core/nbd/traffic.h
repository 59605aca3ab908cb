// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/range.h"
#include "core/nbd/touch_map.h"

namespace disklathe::nbd {

// What a connection has asked for so far: written by its session, read by whoever watches. Any thread.
struct Traffic {
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> bytes_read{0}, bytes_written{0};  // of the export, by the client
  TouchMap read_parts, written_parts;

  void count() { requests.fetch_add(1, std::memory_order_relaxed); }
  void count_read(Range range) {
    count();
    bytes_read.fetch_add(range.length, std::memory_order_relaxed);
    read_parts.mark(range);
  }
  // Also what was zeroed or trimmed.
  void count_write(Range range) {
    count();
    bytes_written.fetch_add(range.length, std::memory_order_relaxed);
    written_parts.mark(range);
  }
};

}  // namespace disklathe::nbd
