// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"
#include "core/format/vmdk/grain_map.h"

namespace disklathe::vmdk {

// A sparse or stream-optimized extent that holds its own descriptor, or a descriptor file. The latter opens without its
// extents, for its facts; map() then refuses.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);

// The sparse extents of a disk, all of whose files are open; otherwise `refused`.
Result<std::vector<GrainMap>> open_sparse_extents(const OpenSource& source);

int probe(Bytes head, Bytes tail, uint64_t file_size);

}  // namespace disklathe::vmdk
