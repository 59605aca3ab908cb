// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"

namespace disklathe::vhdx {

// A fixed, dynamic or differencing disk. A log that was left behind counts, and is replayed in memory only.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);

int probe(Bytes head, Bytes tail, uint64_t file_size);

}  // namespace disklathe::vhdx
