// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/endian.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::test {

// A small qcow2 file made by hand, to be bent where a test wants: header, refcount table, L1 table and one L2 table in
// clusters 0 to 3, and from cluster 4 on whatever the test puts there. Refcounts are not kept.
struct Qcow2Image {
  qcow2::Header header;
  std::vector<std::byte> bytes;

  static constexpr uint64_t first_free_cluster = 4;

  explicit Qcow2Image(uint64_t clusters = 8, qcow2::Header from = {}) : header(std::move(from)) {
    const uint64_t cluster = header.cluster_size();
    if (header.size == 0) header.size = 4 * cluster;
    header.refcount_table_offset = cluster;
    header.refcount_table_clusters = 1;
    header.l1_table_offset = 2 * cluster;
    header.l1_size = static_cast<uint32_t>((header.size + header.l1_entry_span() - 1) / header.l1_entry_span());
    bytes.resize(clusters * cluster);
    write_header();
    set_l1(0, qcow2::entry_copied | l2_offset());
  }

  uint64_t l2_offset() const { return 3 * header.cluster_size(); }
  uint64_t cluster_offset(uint64_t index) const { return index * header.cluster_size(); }

  void write_header() {
    const auto encoded = header.encode();
    std::ranges::copy(*encoded, bytes.begin());
  }
  template <class T>
  void set(uint64_t at, T value) {
    store_be<T>(bytes, at, value);
  }
  void set_l1(uint64_t index, uint64_t entry) { set(header.l1_table_offset + index * 8, entry); }
  void set_l2(uint64_t index, uint64_t entry) {
    set(l2_offset() + index * qcow2::l2_entry_size(header.extended_l2()), entry);
  }
  void set_bitmap(uint64_t index, uint64_t bitmap) { set(l2_offset() + index * 16 + 8, bitmap); }
  void fill(uint64_t at, uint64_t length, uint8_t value) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, std::byte{value});
  }
};

}  // namespace disklathe::test
