// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/engine/piece_cutter.h"

namespace disklathe {

// A run of a piece that is written as data, or becomes zero. Runs of a piece cover it, in order, kinds alternating.
struct Run {
  Range guest;
  bool zero = false;
};

// Finds the zeroes in a piece. `memory` holds its bytes (memory[0] is piece.guest.at) except where extents read as
// zero; there it is filled in where a run of data covers it. block: granularity of the answer, a power of two; runs of
// zeroes shorter than `shortest` become data; 0: all is data.
void find_runs(const Piece& piece, MutableBytes memory, uint32_t block, uint32_t shortest, std::vector<Run>& runs);

// Makes more of the zeroes that find_runs() found data: runs shorter than `shortest`, where a run at the piece's edge
// is as long as what the map says goes on beyond it.
void fold_holes(const Piece& piece, MutableBytes memory, uint64_t shortest, std::vector<Run>& runs);

}  // namespace disklathe
