// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_cutter.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {

// Steps over what is to be left out; returns where the next of it begins, or the end of the disk.
Result<uint64_t> PieceCutter::end_of_held(uint64_t piece_size) {
  while (holes_ && at_ < size_) {
    auto run = holes_->run_at(at_, piece_size);
    if (!run) return failure(run);
    if (!run->hole) return run->end;
    *left_out_ += run->end - at_;
    at_ = run->end;
  }
  return size_;
}

Result<bool> PieceCutter::next(Piece& piece, uint64_t piece_size) {
  const std::scoped_lock lock(mutex_);
  const Result<uint64_t> end = end_of_held(piece_size);
  if (!end) return std::unexpected(end.error());
  if (at_ == size_) return false;
  piece.extents.clear();

  const uint64_t window_end = std::min(round_down(at_, piece_size) + piece_size, *end);
  Result<uint64_t> zero_end = zeroes_as_data_ ? at_ : cursor_.zero_until(at_, *end);
  if (!zero_end) return failure(zero_end);
  piece.zero = *zero_end >= window_end;
  if (piece.zero) {
    piece.guest = Range::between(at_, *zero_end == *end ? *end : round_down(*zero_end, piece_size));
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
