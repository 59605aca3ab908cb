// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/limits.h"

namespace disklathe {

// Why the kernel ends one command and begins the next.
enum class SplitCause : uint8_t {
  transfer,  // max_sectors_kb
  segments,  // max_segments, each at most max_segment_size
  chunk,     // a multiple of chunk_sectors: zone or stripe
  vectors,   // 256 pages of memory: a bio holds no more (BIO_MAX_VECS), and the next could not be merged into it
};
std::string_view name_of(SplitCause cause);

// What becomes of one direct request, for the two ends of how its memory can lie: in one physical piece, or each page
// by itself. Real memory lies between them, give or take one command for each MiB. As blk-merge.c of Linux 6.x splits
// and merges.
struct RequestShape {
  struct Split {
    uint64_t at;  // bytes from the start of the device that was asked about
    SplitCause cause;
  };
  struct Commands {
    uint64_t count = 0;
    std::vector<Split> splits;  // the first few
  };
  Commands contiguous, scattered;
  // Of a write: the physical blocks that are written in part, so that the device must read them first. At most two,
  // each the whole block; bytes from the start of the device that was asked about.
  std::vector<Range> read_modify_write;
};

// How many splits are listed.
inline constexpr size_t most_splits_listed = 16;
// The kernel takes no more than this in one call (MAX_RW_COUNT).
inline constexpr uint64_t largest_request = 0x7ffff000;

// `start`: where a partition begins on its disk, whose limits count from there; 0 for a disk. Limits must have been
// through replace_absurd(). Errors: invalid (empty, larger than largest_request, off the logical blocks).
Result<RequestShape> shape_of_request(const Limits& limits, Range request, uint64_t start = 0);

}  // namespace disklathe
