// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"

namespace disklathe::cli {

// qemu's programs say by advisory locks on single bytes of an image file what they do with it and what they let others
// do (qemu: docs/system/images.rst "Image locking", block/file-posix.c): byte 100 + p is read-locked by those who have
// permission p, byte 200 + p by those who do not share it. Permission 1 is "write".

// `busy` when somebody of them writes to the file.
Result<void> check_no_writer(int fd, const std::string& path);

// Holds that nobody of them writes while this descriptor is open. `busy` when somebody does.
Result<void> lock_against_writers(int fd, const std::string& path);

// Holds the file for writing by this program alone. `busy` when somebody reads or writes it.
Result<void> lock_for_writing(int fd, const std::string& path);

}  // namespace disklathe::cli
