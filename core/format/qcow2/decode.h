// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

// Decodes one compressed cluster: exactly out.size() bytes, or an error of kind corrupt (operation "decode", no
// offset). What follows the stream in `in` is not looked at: it belongs to the next cluster. Any thread; each keeps its
// own decoder.
Result<void> decode_cluster(CompressionType type, Bytes in, MutableBytes out);

}  // namespace disklathe::qcow2
