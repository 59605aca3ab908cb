// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace disklathe::test {

// The bytes as a compression's own program makes them: "gzip -9", "xz -T2 --block-size=64KiB", "zstd --no-progress".
// Fails the test's process when the program does.
std::vector<std::byte> compressed(const std::string& command, Bytes bytes);

}  // namespace disklathe::test
