// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/format/image_reader.h"

namespace disklathe {

// Tells the parts of a disk that an image says nothing of from those that it holds, in whole units: what is a hole only
// in part counts as held. One thread at a time; offsets that go back by little cost little.
class HoleWalk {
 public:
  HoleWalk(ImageReader& image, uint64_t unit) : image_(image), unit_(unit) {}

  struct Run {
    bool hole = false;
    uint64_t end = 0;
  };
  // The run that starts at `at`, a multiple of the unit below the image's size; one of held units may be cut short
  // after `limit` bytes, a multiple of the unit.
  Result<Run> run_at(uint64_t at, uint64_t limit);

 private:
  Result<const Extent*> extent_at(uint64_t offset);
  Result<uint64_t> hole_until(uint64_t offset);

  ImageReader& image_;
  const uint64_t unit_;
  std::vector<Extent> extents_;
};

}  // namespace disklathe
