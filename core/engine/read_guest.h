// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/format/layers.h"

namespace disklathe {

// The bytes of the guest's disk from `at` on, in one piece and by this thread: for looking at a few sectors. The range
// lies inside the disk.
Result<void> read_guest(Image& image, uint64_t at, MutableBytes into);

}  // namespace disklathe
