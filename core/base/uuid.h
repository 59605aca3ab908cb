// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "core/base/bytes.h"

namespace disklathe {

using Uuid = std::array<std::byte, 16>;

// Version 4, from the kernel's random numbers, its fields in network byte order (RFC 9562).
Uuid random_uuid();

// The same with the first three fields little-endian, as Microsoft and VirtualBox store them.
Uuid little_endian_uuid(const Uuid& uuid);

// The one that lies there, and back; the caller has checked that it fits.
Uuid load_uuid(Bytes from, size_t at);
void store_uuid(MutableBytes to, size_t at, const Uuid& uuid);

// "8b7ca206-4790-4b9a-b8fe-575f050f886e", of one in network byte order.
std::string text_of_uuid(const Uuid& uuid);

}  // namespace disklathe
