// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/image_reader.h"

namespace disklathe {

Result<void> ImageReader::decode(const Extent& extent, Bytes, MutableBytes) const {
  return failure(ErrorKind::unsupported, "decode", "this format has no compressed clusters", extent.host.at);
}

}  // namespace disklathe
