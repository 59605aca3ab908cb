// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/vhdx/layout.h"
#include "core/format/vhdx/replayed_file.h"

namespace disklathe::vhdx {

// The file as the log of this header, which is not empty, leaves it ([MS-VHDX] 2.3.3 "Log Replay"). The file itself is
// not changed. Errors: corrupt; operation "open".
Result<std::unique_ptr<ReplayedFile>> replay_log(BlockDevice& file, const Header& header);

}  // namespace disklathe::vhdx
