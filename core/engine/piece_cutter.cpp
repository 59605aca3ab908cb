// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_cutter.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {

Result<bool> PieceCutter::next(Piece& piece) {
  const std::scoped_lock lock(mutex_);
  if (at_ == size_) return false;
  piece.extents.clear();

  const uint64_t window_end = std::min(round_down(at_, piece_size_) + piece_size_, size_);
  Result<uint64_t> zero_end = zeroes_as_data_ ? at_ : cursor_.zero_until(at_, size_);
  if (!zero_end) return failure(zero_end);
  piece.zero = *zero_end >= window_end;
  if (piece.zero) {
    piece.guest = Range::between(at_, *zero_end == size_ ? size_ : round_down(*zero_end, piece_size_));
  } else {
    piece.guest = Range::between(at_, window_end);
    auto collected = cursor_.collect(piece.guest, piece.extents);
    if (!collected) return failure(collected);
  }
  piece.index = index_++;
  at_ = piece.guest.end();
  return true;
}

}  // namespace disklathe
