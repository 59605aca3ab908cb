// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"

namespace disklathe::parallels {

// One file, by itself: what it stands on, only the DiskDescriptor.xml of its folder tells.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);

int probe(Bytes head, Bytes tail, uint64_t file_size);

}  // namespace disklathe::parallels
