// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_reader.h"
#include "core/format/qcow2/tables.h"
#include "core/format/registry.h"

namespace disklathe::qcow2 {

// An image of version 2 or 3, or one of its internal snapshots. An image that stores its clusters in an external data
// file opens without it, for its facts; map() then refuses.
Result<std::unique_ptr<ImageReader>> open(const OpenSource& source);
// The same, with tables that come from elsewhere than source.tables.
Result<std::unique_ptr<ImageReader>> open_with(const OpenSource& source, std::shared_ptr<Tables> tables);

int probe(Bytes head, Bytes tail, uint64_t file_size);

}  // namespace disklathe::qcow2
