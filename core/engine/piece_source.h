// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/engine/piece_cutter.h"
#include "core/io/buffer_pool.h"
#include "core/io/ring.h"
#include "core/io/task.h"

namespace disklathe {

// Brings pieces into memory for one slot of a copy, which writes them one after the other.
class PieceSource {
 public:
  virtual ~PieceSource() = default;

  // The next piece, its bytes at the start of the buffer (which a piece of zeroes leaves as it was); nothing when there
  // are no more.
  virtual Task<Result<std::optional<BufferPool::Lease>>> next(Ring& ring, Piece& piece) = 0;

  // The piece that next() gave last is in the target.
  virtual void written(const Piece& piece) = 0;
};

// Where a copy's pieces come from: an image that can be read anywhere (ImagePieces), or a stream (StreamPieces). Shared
// by all slots; outlives them.
class Pieces {
 public:
  virtual ~Pieces() = default;

  virtual std::unique_ptr<PieceSource> source_for_slot() = 0;

  // Nobody will take another piece. Any thread, more than once.
  virtual void abandon() {}
};

}  // namespace disklathe
