// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/uuid.h"

// How a VHD file is laid out: Microsoft's "Virtual Hard Disk Image Format Specification", version 1.0. All numbers in
// the file are big-endian. A footer ends every file; where not all blocks are stored a copy of it begins the file, and
// leads to a header, a block allocation table (BAT) and blocks, each of which is preceded by a bitmap of its sectors.
namespace disklathe::vhd {

inline constexpr uint64_t sector_size = 512;
inline constexpr uint64_t footer_size = 512;
inline constexpr uint64_t short_footer_size = 511;  // before Virtual PC 2004
inline constexpr uint64_t header_size = 1024;
inline constexpr uint32_t bat_entry_size = 4;
inline constexpr uint32_t unused_entry = 0xffffffff;
inline constexpr uint64_t max_size = 0xff000000ull * sector_size;  // 2040 GiB, what Microsoft and QEMU make at most

enum class DiskType : uint32_t { fixed = 2, dynamic = 3, differencing = 4 };

// Of the disk that a guest's BIOS sees.
struct Geometry {
  uint16_t cylinders = 0;
  uint8_t heads = 0, sectors_per_track = 0;

  constexpr uint64_t sectors() const { return uint64_t{cylinders} * heads * sectors_per_track; }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};
inline constexpr Geometry largest_geometry{65535, 16, 255};

// The geometry for a disk of that many sectors (specification, "CHS Calculation"): it may hold fewer.
Geometry geometry_of(uint64_t sectors);

struct Footer {
  uint64_t data_offset = ~0ull;  // of the header; all ones: none
  uint32_t timestamp = 0;        // seconds since 2000-01-01 UTC
  std::array<char, 4> creator{};
  uint64_t current_size = 0;  // bytes
  Geometry geometry;
  DiskType type = DiskType::fixed;
  Uuid unique_id{};
  bool saved_state = false;

  // Bytes of the guest's disk. Two programs go by the geometry, and the disk ends where it ends; all others by
  // current_size.
  uint64_t disk_size() const;

  // bytes: footer_size of them, at file offset `at`. Errors: corrupt, or unsupported for versions and types nobody
  // knows; operation "open", offset of the field.
  static Result<Footer> parse(Bytes bytes, uint64_t at);
  std::vector<std::byte> encode() const;
};

// Whether a footer begins here, whole or damaged.
bool is_footer(Bytes bytes);

// Where a differencing disk's parent may be found, in one platform's words.
struct ParentLocator {
  std::array<char, 4> platform{};
  uint32_t length = 0;  // bytes
  uint64_t offset = 0;  // in the file
};

struct DynamicHeader {
  uint64_t table_offset = 0;
  uint32_t max_table_entries = 0;
  uint32_t block_size = 0;  // bytes, without the bitmap
  Uuid parent_unique_id{};
  std::string parent_name;  // UTF-8
  std::array<ParentLocator, 8> locators;

  // Of a block's sectors, padded to whole sectors.
  uint64_t bitmap_size() const;

  // bytes: header_size of them, at file offset `at`. Errors as of Footer::parse().
  static Result<DynamicHeader> parse(Bytes bytes, uint64_t at);
  // Of a disk without a parent.
  std::vector<std::byte> encode() const;
};

}  // namespace disklathe::vhd
