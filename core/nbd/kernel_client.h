// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"

namespace disklathe::nbd {

// The kernel as the client: a block device /dev/nbdN whose requests it sends to a server on connected sockets
// (linux/nbd-netlink.h). Root's.

struct KernelDevice {
  std::optional<unsigned> index;  // N; nothing: any that is free
  uint64_t size = 0;              // bytes; the kernel takes whole blocks of it
  uint32_t block = 512;           // bytes, a power of two up to a page
  uint16_t flags = 0;             // of the transmission
  unsigned timeout = 0;           // seconds after which a request fails; 0: never
};
// The sockets stay the caller's to close; the kernel has them then. Transmission begins at once, with simple replies.
// Returns N. `unsupported` where the kernel has no such driver, `busy` for a device that has a server.
Result<unsigned> connect_kernel(const KernelDevice& device, std::span<const int> sockets);

// The kernel says goodbye on the sockets of that device, whoever uses it.
Result<void> disconnect_kernel(unsigned index);

}  // namespace disklathe::nbd
