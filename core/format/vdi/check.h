// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/check.h"

namespace disklathe::vdi {

// Looks at every entry of the block map: blocks that are not in the file, or that two entries lead to, and the count of
// those that are stored.
Result<CheckReport> check(const CheckRequest& request);

}  // namespace disklathe::vdi
