// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/vhd/layout.h"

namespace disklathe::test {

// A VHD file built by hand: whatever a test wants to be in it, right or wrong.
class VhdImage {
 public:
  static constexpr uint64_t table_at = 1536;

  VhdImage(vhd::DiskType type, uint64_t size, uint32_t block_size = 4096) {
    footer_ = {.data_offset = 512,
               .creator = {'w', 'i', 'n', ' '},
               .current_size = size,
               .geometry = vhd::geometry_of(size / 512),
               .type = type};
    header_ = {.table_offset = table_at,
               .max_table_entries = static_cast<uint32_t>(divide_up(size, block_size)),
               .block_size = block_size,
               .locators = {}};
    bytes_.resize(round_up(table_at + header_.max_table_entries * 4, 512));
    std::fill(bytes_.begin() + table_at, bytes_.end(), std::byte{0xff});
  }

  vhd::Footer& footer() { return footer_; }
  vhd::DynamicHeader& header() { return header_; }

  // Adds a block at the end of the file: sectors for which `present` is true are filled with `value`, the others with
  // bytes nobody should see.
  void add_block(uint32_t index, uint8_t value, const std::vector<bool>& present) {
    const uint64_t at = bytes_.size(), data = at + header_.bitmap_size();
    bytes_.resize(data + header_.block_size, std::byte{0xee});
    std::fill(bytes_.begin() + static_cast<ptrdiff_t>(at), bytes_.begin() + static_cast<ptrdiff_t>(data), std::byte{0});
    for (size_t sector = 0; sector < present.size(); ++sector) {
      if (!present[sector]) continue;
      bytes_[at + sector / 8] |= static_cast<std::byte>(0x80 >> sector % 8);
      std::memset(bytes_.data() + data + sector * 512, value, 512);
    }
    set_entry(index, static_cast<uint32_t>(at / 512));
  }
  void set_entry(uint32_t index, uint32_t sector) { store_be(bytes_, table_at + index * 4, sector); }

  // The parent's name as Hyper-V writes it, and its identity.
  void set_parent(std::string_view relative_path, const Uuid& id) {
    parent_ = relative_path;
    parent_id_ = id;
  }

  // The whole file, footer and all.
  std::vector<std::byte> bytes() {
    std::vector<std::byte> file = bytes_;
    auto header = header_.encode();
    store_uuid(header, 40, parent_id_);
    if (!parent_.empty()) {
      std::memcpy(header.data() + 576, "W2ru", 4);
      store_be(header, 576 + 4, uint32_t{512});
      store_be(header, 576 + 8, static_cast<uint32_t>(parent_.size() * 2));
      store_be(header, 576 + 16, uint64_t{file.size()});
      for (size_t i = 0; i < parent_.size(); ++i) {
        file.push_back(static_cast<std::byte>(parent_[i]));
        file.push_back(std::byte{0});
      }
      file.resize(round_up(file.size(), 512));
    }
    store_be(header, 36, uint32_t{0});
    store_be(header, 36, sum(header));
    std::ranges::copy(header, file.begin() + 512);
    const auto footer = footer_.encode();
    std::ranges::copy(footer, file.begin());
    file.insert(file.end(), footer.begin(), footer.end());
    return file;
  }

  // Makes the checksum of a footer or header right again after it was changed.
  static void renew_checksum(MutableBytes part, size_t field) {
    store_be(part, field, uint32_t{0});
    store_be(part, field, sum(part));
  }

 private:
  static uint32_t sum(Bytes bytes) {
    uint32_t sum = 0;
    for (const std::byte b : bytes) sum += std::to_integer<uint32_t>(b);
    return ~sum;
  }

  vhd::Footer footer_;
  vhd::DynamicHeader header_;
  std::vector<std::byte> bytes_;
  std::string parent_;
  Uuid parent_id_{};
};

}  // namespace disklathe::test
