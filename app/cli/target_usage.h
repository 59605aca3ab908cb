// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace disklathe::cli {

// Who has a regular file (as swap, under a loop device), in words that complete "it is", with what would free it.
// Empty: nobody that can be seen.
std::string usage_of(const std::string& path);

}  // namespace disklathe::cli
