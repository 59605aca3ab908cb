// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/read_guest.h"

#include <algorithm>

#include "core/engine/piece_reader.h"
#include "core/engine/plan.h"

namespace disklathe {
namespace {

Task<void> read_into(Ring& ring, PieceReader& reader, uint64_t at, std::span<const Extent> extents, MutableBytes into,
                     Result<void>& result) {
  result = co_await reader.read(ring, at, extents, into);
}

}  // namespace

Result<void> read_guest(Image& image, uint64_t at, MutableBytes into) {
  std::vector<Extent> extents;
  const Range want{at, into.size()};
  for (uint64_t mapped = at; mapped < want.end(); mapped = extents.back().guest.end()) {
    if (auto done = image.map(Range::between(mapped, want.end()), extents); !done) return done;
  }
  auto ring = Ring::create(RingKind::immediate);
  if (!ring) return failure(ring);
  std::ranges::fill(into, std::byte{0});
  // What it may fetch for the piece is bounded by its size, and a compressed cluster is fetched whole.
  PieceReader reader(image, std::max<uint64_t>(into.size(), image.decode_unit()));
  Result<void> result;
  (*ring)->spawn(read_into(**ring, reader, at, extents, into, result));
  (*ring)->run();
  return result;
}

}  // namespace disklathe
