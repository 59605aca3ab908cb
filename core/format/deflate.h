// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <libdeflate.h>

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace disklathe {

// libdeflate's states, one a thread: they are costly to make. Another level (another job) replaces the compressor.
// Null: no memory.
libdeflate_compressor* deflate_compressor(int level);
libdeflate_decompressor* deflate_decompressor();

// A deflate stream (RFC 1951) that is one cluster, to the byte; what follows it in `in` is not looked at. Error,
// operation "decode", kind corrupt.
Result<void> inflate_cluster(Bytes in, MutableBytes out);

// Bytes that a compressor takes. libdeflate does not say; measured.
constexpr uint64_t deflate_memory(int level) { return level < 10 ? 1 << 20 : 9 << 20; }

inline constexpr int max_deflate_level = 12;

}  // namespace disklathe
