// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"

namespace disklathe::vhd {

// A fixed, dynamic or differencing disk. The footer at the file's end counts; where it is damaged its copy at the start
// does, with a warning.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);

int probe(Bytes head, Bytes tail, uint64_t file_size);

}  // namespace disklathe::vhd
