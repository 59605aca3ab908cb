// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/format/layers.h"

namespace disklathe::cli {

// A run of the guest's disk in the words of qemu-img map's JSON.
struct MapEntry {
  uint64_t start = 0, length = 0, depth = 0;
  bool present = false, zero = false, data = false, compressed = false;
  std::optional<uint64_t> offset;
  uint16_t file = 0;  // of the image, when there is an offset

  uint64_t end() const { return start + length; }
  // What `compare --strict` wants to be the same.
  bool same_status(const MapEntry& other) const;
  bool continued_by(const MapEntry& next) const;
};

MapEntry entry_of(const Image& image, const Extent& extent);

}  // namespace disklathe::cli
