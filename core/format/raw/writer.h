// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe::raw {

// -o names of create().
const std::vector<OptionInfo>& create_options();

// A file or device whose bytes are the guest's. A regular file gets exactly the guest's size; a device must be at least
// that large.
Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request);

Result<Measured> measure(const MeasureRequest& request);

}  // namespace disklathe::raw
