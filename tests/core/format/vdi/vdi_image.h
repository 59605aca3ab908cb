// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/base/endian.h"
#include "core/format/vdi/layout.h"

namespace disklathe::test {

// A small VDI file made by hand, to be bent where a test wants: header, block map in the second sector, data from the
// third on.
struct VdiImage {
  vdi::Header header;
  std::vector<std::byte> bytes;

  explicit VdiImage(uint32_t blocks = 4, uint32_t stored = 4, uint32_t block_size = 4096) {
    header = {.offset_map = 512,
              .offset_data = 1024,
              .disk_size = uint64_t{blocks} * block_size,
              .block_size = block_size,
              .blocks_in_image = blocks,
              .blocks_allocated = stored};
    write_header();
    bytes.resize(header.block_offset(stored));
    for (uint32_t block = 0; block < blocks; ++block) set_block(block, vdi::block_free);
  }

  void write_header() {
    bytes.resize(std::max<size_t>(bytes.size(), 1024));
    header.encode(MutableBytes(bytes).first(512));
  }
  void set(uint64_t at, uint32_t value) { store_le(bytes, at, value); }
  void set_block(uint32_t block, uint32_t entry) { set(512 + block * 4, entry); }
};

}  // namespace disklathe::test
