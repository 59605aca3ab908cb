// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/endian.h"
#include "core/format/qed/layout.h"

namespace disklathe::test {

// A small QED file made by hand, to be bent where a test wants: clusters of 4096 bytes, of which the first is the
// header, the second the L1 table, the third an L2 table, and the others data. A disk of two L1 entries, of which the
// second is empty.
struct QedImage {
  using Field = qed::Field;
  static constexpr uint64_t cluster = 4096, l2_entries = 512, span = cluster * l2_entries, l1_at = cluster,
                            l2_at = 2 * cluster, data_at = 3 * cluster;
  std::vector<std::byte> bytes;

  explicit QedImage(uint64_t clusters = 4, uint64_t size = 2 * span) : bytes(data_at + clusters * cluster) {
    set(Field::magic, qed::magic);
    set(Field::cluster_size, static_cast<uint32_t>(cluster));
    set(Field::table_size, uint32_t{1});
    set(Field::header_size, uint32_t{1});
    set(Field::l1_table_offset, l1_at);
    set(Field::image_size, size);
    set(l1_at, l2_at);
    for (uint64_t index = 0; index < clusters; ++index)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(data_at + index * cluster), cluster,
                  static_cast<std::byte>(index + 1));
  }

  template <class T>
  void set(uint64_t at, T value) {
    store_le<T>(bytes, at, value);
  }
  void set_entry(uint64_t index, uint64_t entry) { set(l2_at + index * 8, entry); }
  void set_stored(uint64_t index, uint64_t number) { set_entry(index, data_at + number * cluster); }
  void set_backing(std::string_view name, uint64_t features = qed::feature_backing_file) {
    set(Field::features, features);
    set(Field::backing_filename_offset, uint32_t{64});
    set(Field::backing_filename_size, static_cast<uint32_t>(name.size()));
    std::ranges::copy(std::as_bytes(std::span(name)), bytes.begin() + 64);
  }
};

}  // namespace disklathe::test
