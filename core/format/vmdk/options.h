// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"
#include "core/format/vmdk/descriptor.h"

namespace disklathe::vmdk {

// -o names of create().
const std::vector<OptionInfo>& create_options();

struct CreateOptions {
  bool stream = false;  // streamOptimized, else monolithicSparse
  std::string adapter_type, hardware_version, tools_version;
};
Result<CreateOptions> parse_options(const FormatOptions& options);

}  // namespace disklathe::vmdk
