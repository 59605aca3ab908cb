// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/engine/piece_digests.h"
#include "core/engine/progress.h"
#include "core/format/layers.h"
#include "core/io/stop.h"

namespace disklathe {

// Reads back what was written, of which only the digests are left. Returns the first piece of the guest's disk that is
// not what it was, or nothing. What the target has behind digests.size() may be anything.
Result<std::optional<Range>> verify(Image& target, const PieceDigests& digests, Progress& progress, const Stop& stop);

}  // namespace disklathe
