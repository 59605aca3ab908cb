// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/bytes.h"

namespace disklathe {

// The checksum of iSCSI, ext4 and VHDX (RFC 3720, appendix B.4). before: that of the bytes that come before these.
uint32_t crc32c(Bytes bytes, uint32_t before = 0);

}  // namespace disklathe
