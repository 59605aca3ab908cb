// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/image_writer.h"

namespace disklathe {

// A format that encodes nothing stores everything as it is.
Result<size_t> ImageWriter::encode(uint64_t, Bytes, MutableBytes) const { return size_t{0}; }

Result<void> ImageWriter::set_size(uint64_t) {
  return failure(ErrorKind::unsupported, "resize", "the format has to know the size of the disk beforehand");
}

}  // namespace disklathe
