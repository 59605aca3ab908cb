// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/utf16.h"

namespace disklathe::vhd {
namespace {

constexpr std::string_view footer_cookie = "conectix", header_cookie = "cxsparse";
constexpr uint32_t features_reserved = 2;  // always set
constexpr uint32_t version_1 = 0x00010000;

struct FooterField {
  static constexpr size_t features = 8, version = 12, data_offset = 16, timestamp = 24, creator = 28,
                          creator_version = 32, creator_host = 36, original_size = 40, current_size = 48,
                          cylinders = 56, heads = 58, sectors = 59, type = 60, checksum = 64, unique_id = 68,
                          saved_state = 84;
};
struct HeaderField {
  static constexpr size_t next = 8, table_offset = 16, version = 24, max_table_entries = 28, block_size = 32,
                          checksum = 36, parent_id = 40, parent_name = 64, locators = 576;
};
constexpr size_t parent_name_size = 512, locator_size = 24;

std::unexpected<Error> wrong(ErrorKind kind, uint64_t at, std::string cause) {
  return failure(kind, "open", std::move(cause), at);
}

std::string_view text(Bytes bytes, size_t length) { return {reinterpret_cast<const char*>(bytes.data()), length}; }

// The complement of the sum of all bytes but the checksum's own.
uint32_t checksum_of(Bytes bytes, size_t checksum_at) {
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (i < checksum_at || i >= checksum_at + 4) sum += std::to_integer<uint32_t>(bytes[i]);
  return ~sum;
}

Result<void> check_sum(Bytes bytes, size_t field, std::string_view of, uint64_t at) {
  const uint32_t stored = load_be<uint32_t>(bytes, field), computed = checksum_of(bytes, field);
  if (stored == computed) return {};
  return wrong(ErrorKind::corrupt, at + field,
               fmt::format("the {}'s checksum is {:#010x}, and should be {:#010x}", of, stored, computed));
}

Result<void> check_version(Bytes bytes, size_t field, std::string_view of, uint64_t at) {
  const auto version = load_be<uint32_t>(bytes, field);
  if (version >> 16 == version_1 >> 16) return {};
  return wrong(ErrorKind::unsupported, at + field,
               fmt::format("the {} has version {}.{}, newer than 1.0", of, version >> 16, version & 0xffff));
}

void store_text(MutableBytes to, size_t at, std::string_view value) {
  std::ranges::copy(std::as_bytes(std::span(value)), to.subspan(at).begin());
}

}  // namespace

Geometry geometry_of(uint64_t sectors) {
  sectors = std::min(sectors, largest_geometry.sectors());
  uint64_t per_track = 255, heads = 16;
  if (sectors < 65535 * 16 * 63) {
    per_track = 17;
    heads = std::max<uint64_t>(4, divide_up(sectors / per_track, 1024));
    if (sectors / per_track >= heads * 1024 || heads > 16) {
      per_track = 31;
      heads = 16;
    }
    if (sectors / per_track >= heads * 1024) per_track = 63;
  }
  return {static_cast<uint16_t>(sectors / per_track / heads), static_cast<uint8_t>(heads),
          static_cast<uint8_t>(per_track)};
}

bool is_footer(Bytes bytes) {
  return bytes.size() >= footer_cookie.size() && text(bytes, footer_cookie.size()) == footer_cookie;
}

uint64_t Footer::disk_size() const {
  const std::string_view name(creator.data(), creator.size());
  const bool by_geometry = (name == "vpc " || name == "qemu") && geometry != largest_geometry;
  const uint64_t size = round_down(current_size, sector_size);
  return by_geometry ? std::min(geometry.sectors() * sector_size, size) : size;
}

Result<Footer> Footer::parse(Bytes bytes, uint64_t at) {
  if (!is_footer(bytes)) return wrong(ErrorKind::corrupt, at, "there is no footer: 'conectix' is missing");
  if (auto right = check_sum(bytes, FooterField::checksum, "footer", at); !right) return failure(right);
  if (auto right = check_version(bytes, FooterField::version, "footer", at); !right) return failure(right);
  Footer footer{
      .data_offset = load_be<uint64_t>(bytes, FooterField::data_offset),
      .timestamp = load_be<uint32_t>(bytes, FooterField::timestamp),
      .current_size = load_be<uint64_t>(bytes, FooterField::current_size),
      .geometry = {load_be<uint16_t>(bytes, FooterField::cylinders), load_be<uint8_t>(bytes, FooterField::heads),
                   load_be<uint8_t>(bytes, FooterField::sectors)},
      .type = DiskType{load_be<uint32_t>(bytes, FooterField::type)},
      .unique_id = load_uuid(bytes, FooterField::unique_id),
      .saved_state = load_be<uint8_t>(bytes, FooterField::saved_state) != 0};
  std::ranges::copy(text(bytes.subspan(FooterField::creator), 4), footer.creator.begin());
  if (footer.type != DiskType::fixed && footer.type != DiskType::dynamic && footer.type != DiskType::differencing)
    return wrong(
        ErrorKind::unsupported, at + FooterField::type,
        fmt::format("the disk type {} is none of fixed, dynamic and differencing", static_cast<uint32_t>(footer.type)));
  if (footer.disk_size() > max_size)
    return wrong(ErrorKind::unsupported, at + FooterField::current_size, "the disk is larger than 2040 GiB");
  return footer;
}

std::vector<std::byte> Footer::encode() const {
  std::vector<std::byte> bytes(footer_size);
  store_text(bytes, 0, footer_cookie);
  store_be(bytes, FooterField::features, features_reserved);
  store_be(bytes, FooterField::version, version_1);
  store_be(bytes, FooterField::data_offset, data_offset);
  store_be(bytes, FooterField::timestamp, timestamp);
  store_text(bytes, FooterField::creator, {creator.data(), creator.size()});
  store_be(bytes, FooterField::creator_version, uint32_t{0x00050003});
  store_text(bytes, FooterField::creator_host, "Wi2k");
  store_be(bytes, FooterField::original_size, current_size);
  store_be(bytes, FooterField::current_size, current_size);
  store_be(bytes, FooterField::cylinders, geometry.cylinders);
  store_be(bytes, FooterField::heads, geometry.heads);
  store_be(bytes, FooterField::sectors, geometry.sectors_per_track);
  store_be(bytes, FooterField::type, static_cast<uint32_t>(type));
  store_uuid(bytes, FooterField::unique_id, unique_id);
  store_be(bytes, FooterField::saved_state, uint8_t{saved_state});
  store_be(bytes, FooterField::checksum, checksum_of(bytes, FooterField::checksum));
  return bytes;
}

uint64_t DynamicHeader::bitmap_size() const { return round_up(divide_up(block_size / sector_size, 8), sector_size); }

Result<DynamicHeader> DynamicHeader::parse(Bytes bytes, uint64_t at) {
  if (text(bytes, header_cookie.size()) != header_cookie)
    return wrong(ErrorKind::corrupt, at, "there is no header of a dynamic disk: 'cxsparse' is missing");
  if (auto right = check_sum(bytes, HeaderField::checksum, "header", at); !right) return failure(right);
  if (auto right = check_version(bytes, HeaderField::version, "header", at); !right) return failure(right);
  DynamicHeader header{
      .table_offset = load_be<uint64_t>(bytes, HeaderField::table_offset),
      .max_table_entries = load_be<uint32_t>(bytes, HeaderField::max_table_entries),
      .block_size = load_be<uint32_t>(bytes, HeaderField::block_size),
      .parent_unique_id = load_uuid(bytes, HeaderField::parent_id),
      .parent_name = utf8_of_utf16(bytes.subspan(HeaderField::parent_name, parent_name_size), std::endian::big),
      .locators = {}};
  if (!std::has_single_bit(header.block_size) || header.block_size < sector_size)
    return wrong(ErrorKind::corrupt, at + HeaderField::block_size,
                 fmt::format("the block size {} is not a power of two from 512", header.block_size));
  for (size_t i = 0; i < header.locators.size(); ++i) {
    const Bytes locator = bytes.subspan(HeaderField::locators + i * locator_size, locator_size);
    std::ranges::copy(text(locator, 4), header.locators[i].platform.begin());
    header.locators[i].length = load_be<uint32_t>(locator, 8);
    header.locators[i].offset = load_be<uint64_t>(locator, 16);
  }
  return header;
}

std::vector<std::byte> DynamicHeader::encode() const {
  std::vector<std::byte> bytes(header_size);
  store_text(bytes, 0, header_cookie);
  store_be(bytes, HeaderField::next, ~uint64_t{0});
  store_be(bytes, HeaderField::table_offset, table_offset);
  store_be(bytes, HeaderField::version, version_1);
  store_be(bytes, HeaderField::max_table_entries, max_table_entries);
  store_be(bytes, HeaderField::block_size, block_size);
  store_be(bytes, HeaderField::checksum, checksum_of(bytes, HeaderField::checksum));
  return bytes;
}

}  // namespace disklathe::vhd
