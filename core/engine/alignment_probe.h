// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/device/file_device.h"
#include "core/io/stop.h"

namespace disklathe {

// What it costs when the memory of a direct write starts off a page: a 4 KiB write then touches two. The published
// test of 2015 found 5 % on solid-state and rotating disks alike, and is why buffers are allocated at page alignment
// (Limits::opt_mem_align) though devices take less (min_mem_align).
struct AlignmentRun {
  uint32_t alignment = 0;  // of the memory, bytes: a multiple of it, and of nothing larger
  uint64_t writes = 0;
  double seconds = 0;
  uint64_t bounces = 0;  // writes whose memory had to be copied first: below what the device takes
};

inline constexpr size_t alignment_probe_write = 4096;  // bytes

// `count` direct writes from memory at 512 and as many at 4096, in alternating batches, one at a time, over the whole
// device again and again. Overwrites it. Errors: unsupported without direct I/O, or with larger blocks than 4 KiB.
Result<std::array<AlignmentRun, 2>> probe_alignment(FileDevice& device, uint64_t area, uint64_t count,
                                                    const Stop& stop);

}  // namespace disklathe
