// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe::vdi {

const std::vector<OptionInfo>& create_options();

// A fresh image: header, block map, and from a multiple of 1 MiB on the blocks. In a dynamic one they come in guest
// order. The header is written last, behind a flush: until then the file is no image.
Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request);

}  // namespace disklathe::vdi
