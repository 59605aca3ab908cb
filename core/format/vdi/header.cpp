// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/vdi/layout.h"

namespace disklathe::vdi {
namespace {

constexpr std::string_view text = "<<< Disklathe VirtualBox Disk Image >>>\n";

std::unexpected<Error> corrupt(uint64_t offset, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), offset);
}

std::unexpected<Error> unsupported(uint64_t offset, std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause), offset);
}

bool is_null(Bytes uuid) {
  return std::ranges::all_of(uuid, [](std::byte byte) { return byte == std::byte{0}; });
}

Uuid load_uuid(Bytes head, uint64_t at) {
  Uuid uuid;
  std::ranges::copy(head.subspan(at, uuid.size()), uuid.begin());
  return uuid;
}

// Images that are not complete by themselves.
Result<void> stands_alone(Bytes head) {
  const auto type = load_le<uint32_t>(head, Field::image_type);
  if (type == static_cast<uint32_t>(ImageType::undo)) return unsupported(Field::image_type, "an undo image");
  if (type == static_cast<uint32_t>(ImageType::differencing)) {
    return unsupported(Field::image_type, "a differencing image, which stands on another");
  }
  if (type != static_cast<uint32_t>(ImageType::dynamic) && type != static_cast<uint32_t>(ImageType::fixed)) {
    return unsupported(Field::image_type, fmt::format("image type {}", type));
  }
  for (const uint64_t at : {Field::uuid_link, Field::uuid_parent_modification}) {
    if (!is_null(head.subspan(at, sizeof(Uuid)))) return unsupported(at, "a differencing image, which has a parent");
  }
  return {};
}

Result<void> check_places(const Header& header, uint64_t file_size) {
  if (!is_multiple(header.offset_map, sector_size) || header.offset_map < Field::end) {
    return corrupt(Field::offset_map, fmt::format("the block map is said to begin at {}", header.offset_map));
  }
  const uint64_t map_size = header.blocks_in_image * map_entry_size;
  if (header.offset_map > file_size || map_size > file_size - header.offset_map) {
    return corrupt(Field::blocks_in_image, "the block map does not lie inside the file");
  }
  if (!is_multiple(header.offset_data, sector_size)) {
    return corrupt(Field::offset_data, "the data does not begin on a sector boundary");
  }
  if (header.offset_data < header.offset_map + map_size) {
    return corrupt(Field::offset_data, "the data overlaps the block map");
  }
  return {};
}

}  // namespace

Result<Header> Header::parse(Bytes head, uint64_t file_size) {
  if (head.size() < Field::end) return corrupt(0, "the file is shorter than a VDI header");
  if (load_le<uint32_t>(head, Field::signature) != signature) {
    return corrupt(Field::signature, "the signature is not that of VDI");
  }
  const auto version = load_le<uint32_t>(head, Field::version);
  if (version != version_1_1) {
    return unsupported(Field::version, fmt::format("VDI version {}.{}", version >> 16, version & 0xffff));
  }
  const auto header_size = load_le<uint32_t>(head, Field::header_size);
  if (header_size < Field::end - Field::header_size) {
    return corrupt(Field::header_size, fmt::format("the header is said to have {} bytes", header_size));
  }
  if (auto alone = stands_alone(head); !alone) return failure(alone);

  Header header{.type = static_cast<ImageType>(load_le<uint32_t>(head, Field::image_type)),
                .offset_map = load_le<uint32_t>(head, Field::offset_map),
                .offset_data = load_le<uint32_t>(head, Field::offset_data),
                .disk_size = load_le<uint64_t>(head, Field::disk_size),
                .block_size = load_le<uint32_t>(head, Field::block_size),
                .block_extra = load_le<uint32_t>(head, Field::block_extra),
                .blocks_in_image = load_le<uint32_t>(head, Field::blocks_in_image),
                .blocks_allocated = load_le<uint32_t>(head, Field::blocks_allocated),
                .uuid = load_uuid(head, Field::uuid_image),
                .uuid_modification = load_uuid(head, Field::uuid_modification)};
  if (const auto bytes = load_le<uint32_t>(head, Field::legacy_sector_size); bytes != sector_size) {
    return unsupported(Field::legacy_sector_size, fmt::format("sectors of {} bytes", bytes));
  }
  if (!std::has_single_bit(header.block_size) || header.block_size < sector_size ||
      header.block_size > max_block_size) {
    return unsupported(Field::block_size, fmt::format("blocks of {} bytes", header.block_size));
  }
  if (header.block_extra > max_block_size || !is_multiple(header.block_extra, sector_size)) {
    return unsupported(Field::block_extra, fmt::format("blocks with {} extra bytes", header.block_extra));
  }
  if (header.blocks_in_image > max_blocks) {
    return unsupported(Field::blocks_in_image, fmt::format("{} blocks, above {}", header.blocks_in_image, max_blocks));
  }
  const uint64_t mapped = uint64_t{header.blocks_in_image} * header.block_size;
  if (header.disk_size > mapped) {
    return corrupt(Field::disk_size,
                   fmt::format("the disk has {} bytes, the block map room for {}", header.disk_size, mapped));
  }
  if (auto right = check_places(header, file_size); !right) return failure(right);
  return header;
}

void Header::encode(MutableBytes sector) const {
  std::ranges::fill(sector, std::byte{0});
  std::ranges::copy(std::as_bytes(std::span(text)), sector.begin());
  store_le(sector, Field::signature, signature);
  store_le(sector, Field::version, version_1_1);
  store_le(sector, Field::header_size, new_header_size);
  store_le(sector, Field::image_type, static_cast<uint32_t>(type));
  store_le(sector, Field::offset_map, static_cast<uint32_t>(offset_map));
  store_le(sector, Field::offset_data, static_cast<uint32_t>(offset_data));
  store_le(sector, Field::legacy_sector_size, static_cast<uint32_t>(sector_size));
  store_le(sector, Field::disk_size, disk_size);
  store_le(sector, Field::block_size, block_size);
  store_le(sector, Field::block_extra, block_extra);
  store_le(sector, Field::blocks_in_image, blocks_in_image);
  store_le(sector, Field::blocks_allocated, blocks_allocated);
  std::ranges::copy(uuid, sector.subspan(Field::uuid_image).begin());
  std::ranges::copy(uuid_modification, sector.subspan(Field::uuid_modification).begin());
}

}  // namespace disklathe::vdi
