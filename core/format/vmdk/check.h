// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/check.h"

namespace disklathe::vmdk {

// Looks at every grain table and every entry of it, of all extents: what does not lie inside its file.
Result<CheckReport> check(const CheckRequest& request);

}  // namespace disklathe::vmdk
