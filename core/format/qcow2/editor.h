// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/image_editor.h"
#include "core/format/registry.h"

namespace disklathe::qcow2 {

// The active state of an image of version 2 or 3, to be changed; its internal snapshots stay what they are. The files
// are open for writing. Errors, operation "write to": unsupported (encrypted); refused (marked as corrupt, or as dirty
// and not found to be sound); and those of open().
Result<std::unique_ptr<ImageEditor>> edit(const OpenSource& source);

}  // namespace disklathe::qcow2
