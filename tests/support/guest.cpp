// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/guest.h"

#include <algorithm>

namespace disklathe::test {

namespace {

bool keeps_promises(const Extent& extent, uint64_t at, uint64_t end) {
  if (extent.guest.at != at || extent.guest.empty() || extent.guest.length > end - at) return false;
  switch (extent.kind) {
    case Extent::Kind::zero:
    case Extent::Kind::hole: return extent.host.empty() || extent.host.length == extent.guest.length;
    case Extent::Kind::data: return extent.host.length == extent.guest.length;
    case Extent::Kind::compressed:
      return !extent.host.empty() && extent.decoded_length >= extent.decoded_skip &&
             extent.decoded_length - extent.decoded_skip >= extent.guest.length;
    case Extent::Kind::encrypted: return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Extent>> map_all(ImageReader& reader, Range range) {
  std::vector<Extent> extents;
  for (uint64_t at = range.at; at < range.end();) {
    const size_t known = extents.size();
    if (auto mapped = reader.map(Range::between(at, range.end()), extents); !mapped) return failure(mapped);
    if (extents.size() == known) return failure(ErrorKind::invalid, "map", "no extent", at);
    for (size_t i = known; i < extents.size(); ++i) {
      if (!keeps_promises(extents[i], at, range.end())) return failure(ErrorKind::invalid, "map", "a bad extent", at);
      at = extents[i].guest.end();
    }
  }
  return extents;
}

Result<std::vector<std::byte>> read_guest(ImageReader& reader, Range range,
                                          const std::function<BlockDevice&(uint16_t index)>& file) {
  auto extents = map_all(reader, range);
  if (!extents) return failure(extents);
  std::vector<std::byte> bytes(range.length);
  for (const Extent& extent : *extents) {
    const MutableBytes into = MutableBytes(bytes).subspan(extent.guest.at - range.at, extent.guest.length);
    if (extent.kind == Extent::Kind::data) {
      if (auto read = file(extent.file).read_now(extent.host.at, into); !read) return failure(read);
    } else if (extent.kind == Extent::Kind::compressed) {
      std::vector<std::byte> encoded(extent.host.length), decoded(extent.decoded_length);
      if (auto read = file(extent.file).read_now(extent.host.at, encoded); !read) return failure(read);
      if (auto done = reader.decode(extent, encoded, decoded); !done) return failure(done);
      std::ranges::copy(MutableBytes(decoded).subspan(extent.decoded_skip, into.size()), into.begin());
    } else if (extent.kind == Extent::Kind::encrypted) {
      return failure(ErrorKind::unsupported, "read", "encrypted", extent.guest.at);
    }
  }
  return bytes;
}

}  // namespace disklathe::test
