// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/device/block_device.h"
#include "core/format/image_reader.h"

namespace disklathe::test {

// Walks an image's map from there on for a bounded number of steps, and holds every extent to what a reader promises.
// files: those that extents may name.
inline void walk_map(ImageReader& image, uint64_t from, std::span<const BlockDevice* const> files) {
  constexpr int max_calls = 64;
  constexpr uint64_t max_decoded = 64 << 20;
  uint64_t at = from;
  std::vector<Extent> extents;
  for (int calls = 0; calls < max_calls && at < image.size(); ++calls) {
    extents.clear();
    const Range want = Range::between(at, image.size());
    if (!image.map(want, extents)) return;
    if (extents.empty() || extents.size() > 8192) __builtin_trap();
    for (const Extent& extent : extents) {
      if (extent.guest.at != at || extent.guest.empty() || extent.guest.end() > want.end()) __builtin_trap();
      if (extent.file >= files.size()) __builtin_trap();
      at = extent.guest.end();
      const bool compressed = extent.kind == Extent::Kind::compressed;
      if (!compressed && extent.kind != Extent::Kind::data) continue;
      const uint64_t file_size = files[extent.file]->size();
      if (extent.host.empty() || extent.host.at >= file_size) __builtin_trap();
      if (extent.host.length > file_size - extent.host.at) __builtin_trap();
      if (!compressed && extent.host.length != extent.guest.length) __builtin_trap();
      if (compressed && extent.decoded_length > max_decoded) __builtin_trap();
      if (compressed && extent.decoded_skip + extent.guest.length > extent.decoded_length) __builtin_trap();
    }
  }
}

}  // namespace disklathe::test
