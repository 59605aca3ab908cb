// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/base/crc32c.h"
#include "core/base/endian.h"
#include "core/format/vhdx/layout.h"

namespace disklathe::test {

// What one descriptor of a log entry does: a page of 4096 bytes, or zeroes.
struct LogWrite {
  uint64_t to = 0;
  std::vector<std::byte> page;
  uint64_t zeroes = 0;
};

// A VHDX file built by hand: whatever a test wants to be in it, right or wrong. Log, BAT and metadata have a MiB each,
// blocks come behind them.
class VhdxImage {
 public:
  static constexpr uint64_t mebibyte = 1 << 20;
  static constexpr uint64_t log_at = mebibyte, bat_at = 2 * mebibyte, metadata_at = 3 * mebibyte;
  static constexpr uint64_t blocks_at = 4 * mebibyte;

  explicit VhdxImage(vhdx::Disk disk) : disk_(disk), file_(blocks_at) {}

  std::vector<std::byte>& file() { return file_; }
  vhdx::Header& header(size_t which) { return headers_[which]; }

  static uint64_t entry(uint64_t host, vhdx::BlockState state) { return host | static_cast<uint64_t>(state); }
  void set_entry(uint64_t bat_index, uint64_t value) { store_le(file_, bat_at + bat_index * 8, value); }

  // Appends a MiB of blocks and returns where it is.
  uint64_t append(uint8_t value, uint64_t length = mebibyte) {
    const uint64_t at = file_.size();
    file_.resize(at + length, std::byte{value});
    return at;
  }
  void add_block(uint64_t block, uint8_t value, vhdx::BlockState state = vhdx::BlockState::fully_present) {
    set_entry(disk_.bat_index(block), entry(append(value, disk_.block_size), state));
  }
  // The sector bitmap of the chunk that a block is in; sectors count from the chunk's start.
  void add_bitmap(uint64_t block, const std::vector<uint64_t>& present) {
    const uint64_t at = append(0);
    for (const uint64_t sector : present) file_[at + sector / 8] |= static_cast<std::byte>(1u << sector % 8);
    set_entry(disk_.bitmap_bat_index(block), entry(at, vhdx::BlockState::fully_present));
  }
  void set_parent(const std::vector<std::pair<std::string, std::string>>& words) {
    disk_.has_parent = true;
    parent_ = words;
  }

  // An entry of the log at `at` bytes in it; where the next one begins.
  uint64_t add_log_entry(uint64_t at, uint64_t number, uint64_t tail, const std::vector<LogWrite>& writes,
                         uint64_t flushed_size = 0, uint64_t last_size = 0) {
    const auto descriptor_sectors = (64 + writes.size() * 32 + 4095) / 4096;
    std::vector<std::byte> bytes(descriptor_sectors * 4096);
    std::memcpy(bytes.data(), "loge", 4);
    store_le(bytes, 12, static_cast<uint32_t>(tail));
    store_le(bytes, 16, number);
    store_le(bytes, 24, static_cast<uint32_t>(writes.size()));
    store_uuid(bytes, 32, log_id);
    store_le(bytes, 48, flushed_size);
    store_le(bytes, 56, last_size);
    for (size_t i = 0; i < writes.size(); ++i) {
      const LogWrite& write = writes[i];
      const size_t to = 64 + i * 32;
      store_le(bytes, to + 16, write.to);
      store_le(bytes, to + 24, number);
      if (write.page.empty()) {
        std::memcpy(bytes.data() + to, "zero", 4);
        store_le(bytes, to + 8, write.zeroes);
        continue;
      }
      std::memcpy(bytes.data() + to, "desc", 4);
      std::memcpy(bytes.data() + to + 4, write.page.data() + 4092, 4);
      std::memcpy(bytes.data() + to + 8, write.page.data(), 8);
      std::vector<std::byte> sector = write.page;
      std::memcpy(sector.data(), "data", 4);
      store_le(sector, 4, static_cast<uint32_t>(number >> 32));
      store_le(sector, 4092, static_cast<uint32_t>(number));
      bytes.insert(bytes.end(), sector.begin(), sector.end());
    }
    store_le(bytes, 8, static_cast<uint32_t>(bytes.size()));
    store_le(bytes, 4, crc32c(bytes));
    for (size_t done = 0; done < bytes.size(); done += 4096)  // the log is a ring
      std::memcpy(file_.data() + log_at + (at + done) % mebibyte, bytes.data() + done, 4096);
    for (vhdx::Header& header : headers_) header.log_id = log_id;
    return (at + bytes.size()) % mebibyte;
  }

  // The whole file.
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> whole = file_;
    const auto put = [&whole](uint64_t at, const std::vector<std::byte>& part) {
      std::ranges::copy(part, whole.begin() + static_cast<ptrdiff_t>(at));
    };
    put(0, vhdx::encode_identifier());
    const vhdx::Regions regions{.bat = {bat_at, mebibyte}, .metadata = {metadata_at, mebibyte}};
    for (const size_t copy : {0u, 1u}) {
      put(vhdx::header_at[copy], headers_[copy].encode());
      put(vhdx::region_table_at[copy], regions.encode());
    }
    put(metadata_at, disk_.encode());
    if (disk_.has_parent) {
      // The flag, and one more item at the end of all.
      const MutableBytes metadata = MutableBytes(whole).subspan(metadata_at);
      store_le(metadata, 65536 + 4, uint32_t{2});
      const auto locator = parent_locator();
      const auto count = load_le<uint16_t>(metadata, 10);
      const size_t item = 32 + size_t{count} * 32;
      store_le(metadata, 10, static_cast<uint16_t>(count + 1));
      store_uuid(metadata, item, vhdx::item_id::parent_locator);
      store_le(metadata, item + 16, uint32_t{128 << 10});
      store_le(metadata, item + 20, static_cast<uint32_t>(locator.size()));
      store_le(metadata, item + 24, uint32_t{4});
      put(metadata_at + (128 << 10), locator);
    }
    return whole;
  }

  // Makes the checksum of a structure right again after it was changed.
  static void renew_checksum(MutableBytes part) {
    store_le(part, 4, uint32_t{0});
    store_le(part, 4, crc32c(part));
  }

  static constexpr Uuid log_id{std::byte{77}};

 private:
  std::vector<std::byte> parent_locator() const {
    std::vector<std::byte> bytes(20 + parent_.size() * 12);
    store_le(bytes, 18, static_cast<uint16_t>(parent_.size()));
    const auto add = [&bytes](std::string_view text) {
      const size_t at = bytes.size();
      for (const char c : text) {
        bytes.push_back(static_cast<std::byte>(c));
        bytes.push_back(std::byte{0});
      }
      return static_cast<uint32_t>(at);
    };
    for (size_t i = 0; i < parent_.size(); ++i) {
      const auto& [key, value] = parent_[i];
      const uint32_t key_at = add(key), value_at = add(value);
      store_le(bytes, 20 + i * 12, key_at);
      store_le(bytes, 20 + i * 12 + 4, value_at);
      store_le(bytes, 20 + i * 12 + 8, static_cast<uint16_t>(key.size() * 2));
      store_le(bytes, 20 + i * 12 + 10, static_cast<uint16_t>(value.size() * 2));
    }
    return bytes;
  }

  vhdx::Disk disk_;
  vhdx::Header headers_[2]{{.sequence_number = 1, .log_length = mebibyte, .log_offset = log_at},
                           {.sequence_number = 2, .log_length = mebibyte, .log_offset = log_at}};
  std::vector<std::byte> file_;
  std::vector<std::pair<std::string, std::string>> parent_;
};

}  // namespace disklathe::test
