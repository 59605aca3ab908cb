// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/check.h"
#include "core/format/vmdk/grain_map.h"

namespace disklathe::vmdk {

// Looks at every table and every entry of an extent: what does not lie inside the file, and what lies where something
// else does. Takes as long as the tables are, however large the disk is that they claim.
Result<void> check_grains(const GrainMap& map, CheckReport& report);

}  // namespace disklathe::vmdk
