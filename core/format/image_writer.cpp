// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/image_writer.h"

namespace disklathe {

// A format that encodes nothing stores everything as it is.
Result<size_t> ImageWriter::encode(Bytes, MutableBytes) const { return size_t{0}; }

}  // namespace disklathe
