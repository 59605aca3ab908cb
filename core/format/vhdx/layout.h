// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/base/uuid.h"

// How a VHDX file is laid out: Microsoft's [MS-VHDX]. All numbers in the file are little-endian, checksums are CRC-32C
// over a structure whose own checksum field is zero. The first MiB has an identifier, two headers of which the one with
// the higher sequence number counts, and two copies of the table of regions; regions and blocks lie on whole MiB.
namespace disklathe::vhdx {

inline constexpr uint64_t mebibyte = 1 << 20;
inline constexpr uint64_t identifier_size = 64 << 10, header_size = 4096, region_table_size = 64 << 10;
inline constexpr uint64_t header_at[] = {64 << 10, 128 << 10};
inline constexpr uint64_t region_table_at[] = {192 << 10, 256 << 10};
inline constexpr uint64_t metadata_table_size = 64 << 10;
inline constexpr uint64_t max_item_size = mebibyte;  // of metadata
inline constexpr uint32_t bat_entry_size = 8;
inline constexpr uint64_t max_disk_size = 64ull << 40;
inline constexpr uint64_t bitmap_sectors = 1 << 23;  // that one sector bitmap block, of a MiB, tells of
inline constexpr uint64_t min_block_size = mebibyte, max_block_size = 256 * mebibyte;

// What an entry of the block allocation table (BAT) says of its block: the lowest three bits.
enum class BlockState : uint8_t {
  not_present = 0,
  undefined = 1,
  zero = 2,
  unmapped = 3,
  unmapped_0_95 = 5,  // of the specification's draft
  fully_present = 6,
  partially_present = 7,
};
inline constexpr uint64_t state_mask = 7, offset_mask = ~(mebibyte - 1);
constexpr BlockState state_of(uint64_t entry) { return BlockState{static_cast<uint8_t>(entry & state_mask)}; }

bool has_identifier(Bytes head);
// identifier_size bytes.
std::vector<std::byte> encode_identifier();

struct Header {
  uint64_t sequence_number = 0;
  Uuid file_write_id{}, data_write_id{};
  Uuid log_id{};  // all zero: the log is empty
  uint32_t log_length = 0;
  uint64_t log_offset = 0;

  bool log_is_empty() const { return log_id == Uuid{}; }

  // bytes: header_size of them, at file offset `at`. Errors: corrupt, or unsupported for a newer version; operation
  // "open", offset of the field.
  static Result<Header> parse(Bytes bytes, uint64_t at);
  std::vector<std::byte> encode() const;
  friend bool operator==(const Header&, const Header&) = default;
};

struct Regions {
  Range bat, metadata;

  // bytes: region_table_size of them, at file offset `at`. Errors as of Header::parse().
  static Result<Regions> parse(Bytes bytes, uint64_t at);
  std::vector<std::byte> encode() const;
};

// One item of the metadata region.
struct Item {
  Uuid id{};
  uint32_t offset = 0, length = 0;  // in the region, bytes
  bool required = false;
};

// bytes: metadata_table_size of them, at file offset `at`. Errors as of Header::parse().
Result<std::vector<Item>> parse_metadata_table(Bytes bytes, uint64_t at);

// The items that this program knows.
namespace item_id {
extern const Uuid file_parameters, disk_size, page_83, logical_sector_size, physical_sector_size, parent_locator;
}

// What the metadata say of the disk.
struct Disk {
  uint64_t size = 0;        // bytes
  uint32_t block_size = 0;  // bytes
  uint32_t logical_sector_size = 512, physical_sector_size = 512;
  bool has_parent = false;
  bool leave_blocks_allocated = false;  // a fixed disk
  Uuid page_83{};

  uint64_t blocks() const;
  // Blocks whose sectors one sector bitmap block tells of; that one's entry comes behind theirs in the BAT.
  uint64_t chunk_ratio() const { return bitmap_sectors * logical_sector_size / block_size; }
  uint64_t bat_index(uint64_t block) const { return block + block / chunk_ratio(); }
  uint64_t bitmap_bat_index(uint64_t block) const { return (block / chunk_ratio() + 1) * (chunk_ratio() + 1) - 1; }
  uint64_t bat_entries() const;

  // The table and the items behind it, for a disk without a parent: what the metadata region begins with.
  std::vector<std::byte> encode() const;
};

// What a differencing disk says of the one it stands on.
struct Parent {
  std::vector<std::string> linkages;  // Header::data_write_id of it, as text: any of them
  std::string path;                   // UTF-8; relative to the image where it says so
};
// bytes: the item of that name, at file offset `at`.
Result<Parent> parse_parent_locator(Bytes bytes, uint64_t at);

}  // namespace disklathe::vhdx
