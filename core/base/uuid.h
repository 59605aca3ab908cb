// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>

namespace disklathe {

using Uuid = std::array<std::byte, 16>;

// Version 4, from the kernel's random numbers, its fields in network byte order (RFC 9562).
Uuid random_uuid();

// The same with the first three fields little-endian, as Microsoft and VirtualBox store them.
Uuid little_endian_uuid(const Uuid& uuid);

}  // namespace disklathe
