// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/check.h"

namespace disklathe::vhdx {

// Every entry of the BAT: states, and blocks that lie outside of the file or over something else. What a log that was
// left behind says counts. Memory: a bit for each MiB of the file, 16 MiB at most.
Result<CheckReport> check(const CheckRequest& request);

}  // namespace disklathe::vhdx
