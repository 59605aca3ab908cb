// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/io/aligned_buffer.h"

namespace disklathe::nbd {

// Memory for the requests of one client, used again: of a few sizes, so that what is at hand fits.
class RequestBuffers {
 public:
  static constexpr uint64_t largest = 2 << 20;
  // Bytes that are kept for later; what comes back beyond that is given up.
  static constexpr uint64_t most_kept = 4 << 20;

  // A buffer of at least so many bytes, at most `largest`; an empty one: there is no memory.
  AlignedBuffer take(uint64_t bytes);
  void give_back(AlignedBuffer buffer);

 private:
  static constexpr std::array<uint64_t, 3> sizes{16 << 10, 256 << 10, largest};

  std::array<std::vector<AlignedBuffer>, sizes.size()> kept_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace disklathe::nbd
