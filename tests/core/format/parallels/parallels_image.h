// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/endian.h"
#include "core/format/parallels/layout.h"

namespace disklathe::test {

// A small Parallels disk made by hand, to be bent where a test wants: header and table in the first cluster, a cluster
// of 1536 bytes each from there on.
struct ParallelsImage {
  using Field = parallels::Field;
  static constexpr uint64_t sectors = 3, cluster = sectors * 512;
  std::vector<std::byte> bytes;

  // size: of the disk, in sectors.
  explicit ParallelsImage(std::string_view magic = parallels::magic_clusters, uint64_t size = 4 * sectors,
                          uint64_t stored = 4)
      : bytes((1 + stored) * cluster) {
    std::ranges::copy(std::as_bytes(std::span(magic)), bytes.begin());
    set(Field::version, parallels::version);
    set(Field::cluster_sectors, static_cast<uint32_t>(sectors));
    set(Field::bat_entries, static_cast<uint32_t>((size + sectors - 1) / sectors));
    set(Field::sectors, size);
    set(Field::data_offset, static_cast<uint32_t>(sectors));
    for (uint64_t index = 0; index < stored; ++index)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>((1 + index) * cluster), cluster,
                  static_cast<std::byte>(index + 1));
  }

  template <class T>
  void set(uint64_t at, T value) {
    store_le<T>(bytes, at, value);
  }
  void set_entry(uint64_t index, uint32_t entry) { set(Field::end + index * 4, entry); }
};

}  // namespace disklathe::test
