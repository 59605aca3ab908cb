// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/uuid.h"

// VirtualBox's disk images: a header, the block map (an entry for each block of the guest's disk), and the blocks in
// the order they were first written. Source: VDICore.h of VirtualBox. All numbers are little-endian.
namespace disklathe::vdi {

inline constexpr uint32_t signature = 0xbeda107f;
inline constexpr uint32_t version_1_1 = 0x00010001;
inline constexpr uint64_t sector_size = 512;
inline constexpr uint64_t map_entry_size = 4;
inline constexpr uint32_t default_block_size = 1 << 20;
inline constexpr uint32_t max_block_size = 64 << 20;
inline constexpr uint64_t max_blocks = 0x3fffffff;  // QEMU's limit too: 1 PiB in blocks of 1 MiB

// Entries of the block map that are no block's number.
inline constexpr uint32_t block_zero = 0xfffffffe;  // reads as zeroes
inline constexpr uint32_t block_free = 0xffffffff;  // never written

enum class ImageType : uint32_t { dynamic = 1, fixed = 2, undo = 3, differencing = 4 };

// The fields, by their offsets in the file.
struct Field {
  static constexpr uint64_t text = 0, signature = 64, version = 68, header_size = 72, image_type = 76, offset_map = 340,
                            offset_data = 344, legacy_sector_size = 360, disk_size = 368, block_size = 376,
                            block_extra = 380, blocks_in_image = 384, blocks_allocated = 388, uuid_image = 392,
                            uuid_modification = 408, uuid_link = 424, uuid_parent_modification = 440, end = 456;
};
// What header_size says in a new image, counted from its own offset: up to the logical geometry, which stays empty.
inline constexpr uint32_t new_header_size = 400;

struct Header {
  ImageType type = ImageType::dynamic;
  uint64_t offset_map = 0;
  uint64_t offset_data = 0;
  uint64_t disk_size = 0;  // bytes, as the image says
  uint32_t block_size = default_block_size;
  uint32_t block_extra = 0;  // bytes before the data of each block
  uint32_t blocks_in_image = 0;
  uint32_t blocks_allocated = 0;
  Uuid uuid{}, uuid_modification{};

  // Of the guest's disk: whole sectors.
  uint64_t size() const { return (disk_size + sector_size - 1) / sector_size * sector_size; }
  // Where the bytes of a stored block begin. Within 2^59.
  uint64_t block_offset(uint32_t block) const {
    return offset_data + uint64_t{block} * (uint64_t{block_size} + block_extra) + block_extra;
  }

  // head: the file's first sector, or what there is of it. Checks all that the reader relies on: the block map lies
  // inside the file, has an entry for each block of the disk, and the data comes behind it.
  static Result<Header> parse(Bytes head, uint64_t file_size);
  void encode(MutableBytes sector) const;  // 512 bytes
};

}  // namespace disklathe::vdi
