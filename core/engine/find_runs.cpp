// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/find_runs.h"

#include <algorithm>
#include <cstring>

#include "core/base/arithmetic.h"
#include "core/zero/zero_scan.h"

namespace disklathe {
namespace {

void append(std::vector<Run>& runs, Range guest, bool zero) {
  if (!runs.empty() && runs.back().zero == zero) {
    runs.back().guest.length += guest.length;
  } else {
    runs.push_back({guest, zero});
  }
}

// Makes the memory of extents that read as zero say so, inside `range`.
void fill_zeroes(const Piece& piece, MutableBytes memory, Range range) {
  for (const Extent& extent : piece.extents) {
    const Range part = intersection(extent.guest, range);
    if (reads_zero(extent) && !part.empty()) {
      std::memset(memory.data() + (part.at - piece.guest.at), 0, part.length);
    }
  }
}

// Runs of zeroes too short to be worth leaving out become part of the data around them. before, after: how long a run
// goes on beyond the piece's edges.
void fold_short(const Piece& piece, MutableBytes memory, uint64_t shortest, uint64_t before, uint64_t after,
                std::vector<Run>& runs) {
  std::vector<Run> kept;
  kept.reserve(runs.size());
  for (Run& run : runs) {
    uint64_t length = run.guest.length;
    if (run.guest.at == piece.guest.at) length = saturated_add(length, before);
    if (run.guest.end() == piece.guest.end()) length = saturated_add(length, after);
    if (run.zero && length < shortest) {
      fill_zeroes(piece, memory, run.guest);
      run.zero = false;
    }
    append(kept, run.guest, run.zero);
  }
  runs.swap(kept);
}

}  // namespace

void find_runs(const Piece& piece, MutableBytes memory, uint32_t block, uint32_t shortest, std::vector<Run>& runs) {
  runs.clear();
  if (shortest == 0) {
    fill_zeroes(piece, memory, piece.guest);
    runs.push_back({piece.guest, false});
    return;
  }
  auto extent = piece.extents.begin();
  for (uint64_t at = piece.guest.at; at < piece.guest.end();) {
    while (extent->guest.end() <= at) ++extent;
    const uint64_t block_end = std::min(round_down(at, block) + block, piece.guest.end());
    const Bytes bytes = memory.subspan(at - piece.guest.at, block_end - at);
    if (extent->guest.end() >= block_end) {
      if (reads_zero(*extent)) {
        const uint64_t whole = std::max(block_end, round_down(extent->guest.end(), block));
        append(runs, Range::between(at, whole), true);
        at = whole;
        continue;
      }
    } else {
      fill_zeroes(piece, memory, Range::between(at, block_end));
    }
    append(runs, Range::between(at, block_end), all_zero(bytes));
    at = block_end;
  }
  // What lies beyond the edges is not known here: long enough.
  if (shortest > block && runs.size() > 1) fold_short(piece, memory, shortest, shortest, shortest, runs);
}

void fold_holes(const Piece& piece, MutableBytes memory, uint64_t shortest, std::vector<Run>& runs) {
  fold_short(piece, memory, shortest, piece.zero_before, piece.zero_after, runs);
}

}  // namespace disklathe
