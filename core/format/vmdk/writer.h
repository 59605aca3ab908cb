// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe::vmdk {

// A fresh image in one file: monolithicSparse, or with -o subformat=streamOptimized a stream. Its first sector, which
// makes it an image, is written last, behind a flush.
Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request);

}  // namespace disklathe::vmdk
