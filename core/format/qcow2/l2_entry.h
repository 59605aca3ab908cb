// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/arithmetic.h"
#include "core/base/range.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

// An L2 entry, taken apart for changing it (specification, "Cluster mapping"). Without extended L2 entries a cluster
// has one subcluster. What breaks the format's rules is the map's to tell.
struct L2Entry {
  bool compressed = false;
  bool stored = false;     // it has a host cluster
  bool copied = false;     // of which nobody else has a part: it may be written to
  uint64_t host = 0;       // of the cluster
  Range stream{};          // compressed: the host bytes
  uint32_t allocated = 0;  // bit x: the bytes of subcluster x are there
  uint32_t zeroes = 0;     // bit x: subcluster x reads as zeroes

  // Its bytes are written where they are.
  bool is_own() const { return stored && copied && !compressed; }
  bool is_empty() const { return !stored && !compressed && zeroes == 0; }
};

// The bits of all subclusters.
constexpr uint32_t all_subclusters(bool extended) { return extended ? ~uint32_t{0} : 1; }

// bitmap: of an extended entry, else 0.
inline L2Entry parse_l2_entry(const Header& header, uint64_t entry, uint64_t bitmap) {
  L2Entry parsed{.copied = (entry & entry_copied) != 0};
  if (entry & entry_compressed) {
    const uint32_t bits = compressed_offset_bits(header.cluster_bits);
    const uint64_t descriptor = entry & ~(entry_copied | entry_compressed);
    const uint64_t at = descriptor & ((uint64_t{1} << bits) - 1);
    parsed.compressed = true;
    parsed.stream = Range::between(at, round_down(at, sector_size) + ((descriptor >> bits) + 1) * sector_size);
    return parsed;
  }
  parsed.host = entry & entry_offset;
  // Only in a data file can there be a cluster at 0; the bit says whether there is.
  parsed.stored = parsed.host != 0 || (header.has_data_file() && parsed.copied);
  if (header.extended_l2()) {
    parsed.allocated = static_cast<uint32_t>(bitmap);
    parsed.zeroes = static_cast<uint32_t>(bitmap >> 32);
  } else {
    parsed.zeroes = entry & entry_zero ? 1 : 0;
    parsed.allocated = parsed.stored && !parsed.zeroes ? 1 : 0;
  }
  return parsed;
}

// Of an entry that is not compressed: the first 64 bits.
inline uint64_t l2_entry_bits(const Header& header, const L2Entry& entry) {
  return (entry.stored ? entry.host | (entry.copied ? entry_copied : 0) : 0) |
         (!header.extended_l2() && entry.zeroes ? entry_zero : 0);
}
inline uint64_t l2_bitmap_bits(const L2Entry& entry) { return uint64_t{entry.zeroes} << 32 | entry.allocated; }

}  // namespace disklathe::qcow2
