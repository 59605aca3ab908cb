// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/check.h"

#include "core/format/vmdk/grain_check.h"
#include "core/format/vmdk/reader.h"

namespace disklathe::vmdk {

Result<CheckReport> check(const CheckRequest& request) {
  const auto extents = open_sparse_extents({.file = request.file, .extents = request.extents});
  if (!extents) return std::unexpected(extents.error());
  CheckReport report;
  for (const GrainMap& extent : *extents)
    if (auto looked = check_grains(extent, report); !looked) return failure(looked);
  return report;
}

}  // namespace disklathe::vmdk
