// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/map_entry.h"

namespace disklathe::cli {

bool MapEntry::same_status(const MapEntry& other) const {
  return present == other.present && zero == other.zero && data == other.data && compressed == other.compressed &&
         offset.has_value() == other.offset.has_value();
}

bool MapEntry::continued_by(const MapEntry& next) const {
  return depth == next.depth && same_status(next) &&
         (!offset || (file == next.file && *offset + length == *next.offset));
}

MapEntry entry_of(const Image& image, const Extent& extent) {
  using Kind = Extent::Kind;
  MapEntry entry{.start = extent.guest.at, .length = extent.guest.length, .file = extent.file};
  entry.depth = image.layer_of(extent.file);
  entry.present = extent.kind != Kind::hole;
  entry.zero = reads_zero(extent);
  entry.data = !entry.zero;
  entry.compressed = extent.kind == Kind::compressed;
  // Bytes that are there as the guest sees them; for compressed and encrypted ones an offset says nothing.
  if (extent.kind != Kind::compressed && extent.kind != Kind::encrypted && !extent.host.empty())
    entry.offset = extent.host.at;
  return entry;
}

}  // namespace disklathe::cli
