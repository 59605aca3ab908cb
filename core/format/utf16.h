// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <string>

#include "core/base/bytes.h"

namespace disklathe {

// Text as Windows stores it in images, up to the first NUL or the end (an odd last byte is left out). What is no
// character becomes U+FFFD.
std::string utf8_of_utf16(Bytes text, std::endian order);

// A path that a Windows program wrote as one that can be looked up here: "..\base\disk.vhd" is "../base/disk.vhd". What
// begins with a drive or a server leads nowhere here and stays as it is.
std::string path_of_windows_path(std::string path);

}  // namespace disklathe
