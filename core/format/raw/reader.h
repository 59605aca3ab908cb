// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"

namespace disklathe::raw {

// The file is the disk: of any size, also not a multiple of 512. What its file system has not allocated reads as zero.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);

}  // namespace disklathe::raw
