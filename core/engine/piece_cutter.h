// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/engine/hole_walk.h"
#include "core/engine/map_cursor.h"

namespace disklathe {

// What one slot works on at a time: a bounded number of bytes with some data in them, or a run of zeroes of any length.
struct Piece {
  uint64_t index = 0;  // 0, 1, 2, ... in guest order, without gaps
  Range guest;
  bool zero = false;            // nothing but zeroes; extents is empty then
  std::vector<Extent> extents;  // cover guest exactly, in order
  // How far zeroes go on beyond its edges by the map, bytes; after: as far as was looked.
  uint64_t zero_before = 0, zero_after = 0;
};

// Cuts the guest's disk into pieces as slots ask for them; the map is read just ahead of the copy and never kept.
// Any thread.
class PieceCutter {
 public:
  // When zeroes are wanted as data no piece is `zero`.
  explicit PieceCutter(ImageReader& image, bool zeroes_as_data = false)
      : cursor_(image), size_(image.size()), zeroes_as_data_(zeroes_as_data) {}

  // Leaves out what `top`, an image of the same size, says nothing of, and counts it in `left_out`. unit: of the
  // target. Before the first piece is taken.
  void leave_out_holes(ImageReader& top, uint64_t unit, std::atomic<uint64_t>& left_out) {
    holes_.emplace(top, unit);
    left_out_ = &left_out;
  }

  // Has zero_before and zero_after of each piece filled in, looking so far ahead. Before the first piece is taken.
  void look_past_edges(uint64_t how_far) { look_ahead_ = how_far; }

  // False when there are no more. A piece with data ends on a multiple of piece_size, which may differ from call to
  // call. Reuses the piece's memory.
  Result<bool> next(Piece& piece, uint64_t piece_size);

 private:
  Result<uint64_t> end_of_held(uint64_t piece_size);
  Result<void> look_past_edges(Piece& piece);

  std::mutex mutex_;
  MapCursor cursor_;
  const uint64_t size_;
  const bool zeroes_as_data_;
  std::optional<HoleWalk> holes_;
  std::atomic<uint64_t>* left_out_ = nullptr;
  uint64_t look_ahead_ = 0;
  uint64_t zero_run_ = 0;  // bytes of zeroes that end at at_
  uint64_t at_ = 0;
  uint64_t index_ = 0;
};

}  // namespace disklathe
