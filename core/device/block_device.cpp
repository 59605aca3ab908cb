// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/block_device.h"

namespace disklathe {

Result<void> BlockDevice::allocate_now(Range range) {
  return failure(ErrorKind::unsupported, "allocate", {}, range.at);
}

}  // namespace disklathe
