// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace disklathe::cli {

// Who has a block device or one of its partitions, or what stands on a regular file, in words: "mounted on /home",
// "used as swap", "attached as loop3", and for a device how to release it. Empty: nobody that can be seen.
std::string usage_of(const std::string& path);

}  // namespace disklathe::cli
