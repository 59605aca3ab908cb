// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/image_reader.h"

namespace disklathe {

Result<void> ImageReader::decode(const Extent& extent, Bytes, MutableBytes) const {
  return failure(ErrorKind::unsupported, "decode", "this format has no compressed clusters", extent.host.at);
}

Result<void> ImageReader::map_bitmap(size_t, Range, std::vector<BitmapRun>&) const {
  return failure(ErrorKind::unsupported, "map", "images of this format have no bitmaps");
}

}  // namespace disklathe
