// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/endian.h"
#include "core/format/qcow/layout.h"

namespace disklathe::test {

// A small qcow file made by hand, to be bent where a test wants: header and L1 table in the first 512 bytes, an L2
// table of 64 entries in the second, clusters of 512 bytes from the third on. A disk of two L1 entries, of which the
// second is empty.
struct QcowImage {
  using Field = qcow::Field;
  static constexpr uint64_t cluster = 512, l2_entries = 64, span = cluster * l2_entries, l1_at = 48, l2_at = 512,
                            data_at = 1024;
  std::vector<std::byte> bytes;

  explicit QcowImage(uint64_t clusters = 4, uint64_t size = 2 * span) : bytes(data_at + clusters * cluster) {
    set(Field::magic, qcow::magic);
    set(Field::version, qcow::version);
    set(Field::size, size);
    bytes[Field::cluster_bits] = std::byte{9};
    bytes[Field::l2_bits] = std::byte{6};
    set(Field::l1_table_offset, l1_at);
    set(l1_at, l2_at);
    for (uint64_t index = 0; index < clusters; ++index)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(data_at + index * cluster), cluster,
                  static_cast<std::byte>(index + 1));
  }

  template <class T>
  void set(uint64_t at, T value) {
    store_be<T>(bytes, at, value);
  }
  void set_entry(uint64_t index, uint64_t entry) { set(l2_at + index * 8, entry); }
  void set_stored(uint64_t index, uint64_t number) { set_entry(index, data_at + number * cluster); }
  // Adds those bytes at the end of the file, as the cluster's.
  void add_compressed(uint64_t index, Bytes encoded) {
    set_entry(index, qcow::entry_compressed | encoded.size() << 54 | bytes.size());
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  void set_backing(std::string_view name) {
    set(Field::backing_file_offset, uint64_t{256});
    set(Field::backing_file_size, static_cast<uint32_t>(name.size()));
    std::ranges::copy(std::as_bytes(std::span(name)), bytes.begin() + 256);
  }
};

}  // namespace disklathe::test
