// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/range.h"

namespace disklathe {

// Where a run of the guest's bytes is. The unit that formats answer in and the engine moves.
struct Extent {
  enum class Kind : uint8_t {
    zero,        // reads as zeroes, the image says so
    hole,        // this image has nothing here: the backing image decides, or zeroes without one
    data,        // host.length == guest.length bytes, as they are
    compressed,  // host.length encoded bytes (an upper bound) that decode to decoded_length bytes
    encrypted,   // present, and not readable by this program
  };

  Kind kind = Kind::hole;
  Range guest{};
  // Which of the image's files answered (ImageReader::files() order). For zero and hole: the file whose map said so.
  uint16_t file = 0;
  // In that file. Empty when no bytes are stored; a zero extent or a hole may still own reserved host bytes.
  Range host{};
  // Compressed only: the whole cluster's decoded bytes, and how many of them come before guest.at. Extents are always
  // clipped to what was asked for, so a run may be any part of its cluster.
  uint64_t decoded_length = 0;
  uint64_t decoded_skip = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

// The part of an extent that lies in `guest`, which is inside of it.
constexpr Extent clipped(Extent extent, Range guest) {
  const uint64_t before = guest.at - extent.guest.at;
  if (extent.decoded_length) {
    extent.decoded_skip += before;
  } else if (!extent.host.empty()) {
    extent.host = {extent.host.at + before, guest.length};
  }
  extent.guest = guest;
  return extent;
}

// Appends an extent that begins where the last one ends; one that continues it in the same file becomes a part of it.
// What is before out[first] is left as it is.
inline void append_merged(std::vector<Extent>& out, size_t first, const Extent& extent) {
  if (out.size() > first && !extent.decoded_length) {
    Extent& last = out.back();
    const bool host_continues =
        last.host.empty() ? extent.host.empty() : !extent.host.empty() && last.host.end() == extent.host.at;
    if (last.kind == extent.kind && last.file == extent.file && host_continues && !last.decoded_length) {
      last.guest.length += extent.guest.length;
      last.host.length += extent.host.length;
      return;
    }
  }
  out.push_back(extent);
}

constexpr bool reads_zero(const Extent& extent) {
  return extent.kind == Extent::Kind::zero || extent.kind == Extent::Kind::hole;
}

}  // namespace disklathe
