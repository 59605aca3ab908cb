// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/engine/copy.h"
#include "core/engine/find_runs.h"
#include "core/engine/piece_cutter.h"
#include "core/engine/turnstile.h"
#include "core/engine/zero_joiner.h"
#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"
#include "core/zero/zero_strategy.h"

namespace disklathe {

// Writes one piece to the target. One per slot; reused.
class PieceWriter {
 public:
  PieceWriter(const CopyJob& job, ZeroStrategy& zeroing, ZeroJoiner& joiner, Turnstile& turnstile, Progress& progress,
              uint64_t piece_size);

  Task<Result<void>> write(Ring& ring, const Piece& piece, MutableBytes memory);

 private:
  Result<void> place_data(Range guest, MutableBytes memory, uint64_t memory_at);
  Result<void> encode_unit(Range guest, MutableBytes memory);
  Task<Result<void>> take_places(Ring& ring, const Piece& piece);
  Task<Result<void>> write_placed(Ring& ring);
  Task<Result<void>> store(Ring& ring, uint16_t file, uint64_t at, std::span<const iovec> vectors);
  Task<Result<void>> make_zero(Ring& ring, uint64_t index);

  const CopyJob& job_;
  ZeroStrategy& zeroing_;
  ZeroJoiner& joiner_;
  Turnstile& turnstile_;
  Progress& progress_;
  const uint32_t block_;
  std::vector<Run> runs_;
  std::vector<Placement> placements_;
  std::vector<std::byte*> sources_;  // of placements_, in memory
  std::vector<Range> to_zero_;       // of the target file
  std::vector<iovec> vectors_;
  AlignedBuffer encoded_;
  size_t encoded_used_ = 0;
};

}  // namespace disklathe
