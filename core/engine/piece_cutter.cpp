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

Result<void> PieceCutter::look_past_edges(Piece& piece) {
  piece.zero_before = zero_run_;
  auto zero_end = cursor_.zero_until(piece.guest.end(), std::min(saturated_add(piece.guest.end(), look_ahead_), size_));
  if (!zero_end) return failure(zero_end);
  piece.zero_after = *zero_end - piece.guest.end();

  const auto data = std::find_if_not(piece.extents.rbegin(), piece.extents.rend(), reads_zero);
  if (data == piece.extents.rend()) {
    zero_run_ += piece.guest.length;
  } else {
    zero_run_ = piece.guest.end() - data->guest.end();
  }
  return {};
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
  if (look_ahead_ > 0) {
    if (auto looked = look_past_edges(piece); !looked) return failure(looked);
  }
  piece.index = index_++;
  at_ = piece.guest.end();
  return true;
}

}  // namespace disklathe
