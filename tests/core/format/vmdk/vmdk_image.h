// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/endian.h"
#include "core/format/vmdk/grain.h"
#include "core/format/vmdk/sparse_header.h"

namespace disklathe::test {

// A small sparse extent made by hand, to be bent where a test wants: header, descriptor (sector 1), grain directory
// (2), a grain table (3 to 6), grains of 4 KiB from sector 8 on.
struct VmdkImage {
  vmdk::SparseHeader header;
  std::vector<std::byte> bytes;

  static constexpr uint64_t grain = 4096, first_grain_sector = 8, table_sector = 3;

  explicit VmdkImage(uint64_t grains = 4) {
    header = {.version = 1,
              .flags = vmdk::flag_newline_test | vmdk::flag_zero_grains,
              .capacity = grains * 8,
              .grain_sectors = 8,
              .descriptor_sector = 1,
              .descriptor_sectors = 1,
              .directory_sector = 2,
              .overhead_sectors = first_grain_sector};
    bytes.resize((first_grain_sector + 4 * 8) * 512);
    write_header();
    write_text("version=1\nCID=5\nparentCID=ffffffff\ncreateType=\"monolithicSparse\"\n");
    set(2 * 512, table_sector);
  }

  void write_header() { header.encode(MutableBytes(bytes).first(512)); }
  void write_text(const std::string& text) {
    const auto from = std::as_bytes(std::span(text));
    std::fill_n(bytes.begin() + 512, 512, std::byte{0});
    std::copy(from.begin(), from.end(), bytes.begin() + 512);
  }
  void set(uint64_t at, uint32_t value) { store_le(bytes, at, value); }
  void set_grain(uint64_t index, uint32_t sector) { set(table_sector * 512 + index * 4, sector); }
};

// The same as a stream: grains of 4 KiB filled with their number (1 on), behind each other, a table, the directory, the
// footer and the end.
inline std::vector<std::byte> vmdk_stream(uint64_t grains = 4) {
  VmdkImage image(grains);
  image.header.version = 3;
  image.header.flags = vmdk::flag_newline_test | vmdk::flag_compressed | vmdk::flag_markers;
  image.header.compress_algorithm = vmdk::algorithm_deflate;
  image.header.directory_sector = vmdk::directory_at_end;
  image.write_header();
  auto& bytes = image.bytes;
  bytes.resize(VmdkImage::first_grain_sector * 512);
  std::vector<std::byte> table(2048), directory(512), out(vmdk::encoded_grain_room(VmdkImage::grain)), sector(512);
  const auto append = [&](const std::vector<std::byte>& part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
  const auto marker = [&](uint64_t value, uint32_t type) {
    std::vector<std::byte> one(512);
    store_le(one, 0, value);
    store_le(one, 12, type);
    append(one);
  };
  for (uint64_t i = 0; i < grains; ++i) {
    const std::vector<std::byte> in(VmdkImage::grain, static_cast<std::byte>(i + 1));
    const auto size = vmdk::encode_grain(i * 8, 6, in, out);
    store_le(table, i * 4, static_cast<uint32_t>(bytes.size() / 512));
    append({out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size)});
  }
  marker(4, 1);
  store_le(directory, 0, static_cast<uint32_t>(bytes.size() / 512));
  append(table);
  marker(1, 2);
  image.header.directory_sector = bytes.size() / 512;
  append(directory);
  marker(1, 3);
  image.header.encode(sector);
  append(sector);
  marker(0, 0);
  return bytes;
}

}  // namespace disklathe::test
