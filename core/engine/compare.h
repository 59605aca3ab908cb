// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/engine/progress.h"
#include "core/format/layers.h"
#include "core/io/stop.h"

namespace disklathe {

struct Difference {
  uint64_t offset = 0;  // of the first byte of the guest that differs
};
struct CompareOptions {
  bool strict = false;          // sizes must be equal too; otherwise the longer one's rest must be zero
  uint64_t limit = UINT64_MAX;  // bytes from the start that count; what is beyond may be anything
};
// Compares two images' content. Returns the first difference, or nothing when they are equal.
Result<std::optional<Difference>> compare(Image& a, Image& b, const CompareOptions& options, Progress& progress,
                                          const Stop& stop);

}  // namespace disklathe
