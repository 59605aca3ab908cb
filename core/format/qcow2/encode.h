// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

// The level at which our output is no larger than QEMU's, and how far a user's choice may go.
int default_level(CompressionType type, size_t cluster_size);
int max_level(CompressionType type);

// Bytes that a thread's compressor takes.
uint64_t encoder_memory(CompressionType type, int level, size_t cluster_size);

// Compresses one cluster into a raw deflate stream (zlib) or one frame (zstd). Returns its size, or 0 when it would not
// be smaller than `in`. level: 1 to max_level(). Any thread: each keeps its own compressor.
Result<size_t> encode_cluster(CompressionType type, int level, Bytes in, MutableBytes out);

}  // namespace disklathe::qcow2
