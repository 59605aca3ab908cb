// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_writer.h"
#include "core/format/registry.h"

namespace disklathe::vhdx {

// A fresh disk. Nothing that the file held before survives: until finish() it is no image at all.
Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request);

}  // namespace disklathe::vhdx
