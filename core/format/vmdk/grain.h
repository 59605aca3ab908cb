// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/result.h"

// A compressed grain of a stream: a marker, a zlib stream (RFC 1950), zeroes up to the end of the sector.
namespace disklathe::vmdk {

// in: from the marker on, longer than the grain perhaps. Returns the bytes that came out; what is behind them in `out`
// is zero. Error, operation "decode", kind corrupt.
Result<size_t> decode_grain(Bytes in, MutableBytes out);

// Bytes that `out` of encode_grain() must have.
size_t encoded_grain_room(size_t grain_size);
// sector: of the guest's disk. Returns the bytes written, whole sectors.
Result<size_t> encode_grain(uint64_t sector, int level, Bytes in, MutableBytes out);

}  // namespace disklathe::vmdk
