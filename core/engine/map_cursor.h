// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/format/image_reader.h"

namespace disklathe {

// Walks an image's map in guest order, a bounded look at a time. Offsets given to it never go back by more than the
// zero run it last walked over. Past the end of the image everything reads as zero. One thread at a time.
class MapCursor {
 public:
  explicit MapCursor(ImageReader& image) : image_(image) {}

  // Appends extents that cover the window exactly.
  Result<void> collect(Range window, std::vector<Extent>& out);

  // The end of the run of zeroes that starts at `offset`, at most `limit`; `offset` itself when there is data.
  Result<uint64_t> zero_until(uint64_t offset, uint64_t limit);

 private:
  Result<const Extent*> extent_at(uint64_t offset);

  ImageReader& image_;
  std::vector<Extent> extents_;
  size_t next_ = 0;
  Range walked_zero_;  // already dropped from extents_
};

}  // namespace disklathe
