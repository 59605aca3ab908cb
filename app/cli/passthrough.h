// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/device/file_device.h"
#include "core/device/sg_device.h"

namespace disklathe::cli {

// --passthrough: a SCSI disk is named by its generic node, /dev/sgN, and read or written by commands. The kernel minds
// nobody else there, so all that guards a disk goes by the block device that it has for the same one.

// Errors: those of opening it; unsupported (no disk, or one of another kind).
Result<std::unique_ptr<SgDevice>> open_passthrough_to_read(const std::string& path);

// The block device of the disk: what is chosen, confirmed and held for writing. Error unsupported: it has none.
Result<std::string> disk_of_passthrough(const std::string& path);

// For writing, while `held` is the block device of the disk, open for writing. Error refused: it is of another disk.
Result<std::unique_ptr<SgDevice>> open_passthrough_to_write(const std::string& path, FileDevice& held);

}  // namespace disklathe::cli
