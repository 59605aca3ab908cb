// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/base/crc32c.h"
#include "core/base/endian.h"

namespace disklathe::vhdx {
namespace {

constexpr std::string_view file_signature = "vhdxfile";
constexpr size_t checksum_at = 4;
constexpr uint16_t version_1 = 1;
constexpr size_t region_entry_size = 32, region_entries_at = 16, max_regions = 2047;
constexpr uint32_t required_region = 1;

struct HeaderField {
  static constexpr size_t sequence_number = 8, file_write_id = 16, data_write_id = 32, log_id = 48, log_version = 64,
                          version = 66, log_length = 68, log_offset = 72;
};

constexpr uint8_t digit(char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

// "2dc27766-f623-4200-9d64-115e9bfd4a08" as it lies in a file: the first three fields little-endian.
constexpr Uuid microsoft_guid(std::string_view text) {
  Uuid guid{};
  constexpr std::array<uint8_t, 16> order{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  size_t byte = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-') continue;
    guid[order[byte++]] = static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1]));
    ++i;
  }
  return guid;
}

constexpr Uuid bat_region = microsoft_guid("2dc27766-f623-4200-9d64-115e9bfd4a08");
constexpr Uuid metadata_region = microsoft_guid("8b7ca206-4790-4b9a-b8fe-575f050f886e");

std::unexpected<Error> wrong(ErrorKind kind, uint64_t at, std::string cause) {
  return failure(kind, "open", std::move(cause), at);
}

std::string_view text(Bytes bytes, size_t length) { return {reinterpret_cast<const char*>(bytes.data()), length}; }

void store_text(MutableBytes to, size_t at, std::string_view value) {
  std::ranges::copy(std::as_bytes(std::span(value)), to.subspan(at).begin());
}

uint32_t checksum_of(Bytes bytes) {
  constexpr std::array<std::byte, 4> none{};
  return crc32c(bytes.subspan(checksum_at + none.size()), crc32c(none, crc32c(bytes.first(checksum_at))));
}

// A structure that begins with a signature of four letters and its checksum.
Result<void> check_whole(Bytes bytes, std::string_view signature, std::string_view name, uint64_t at) {
  if (text(bytes, signature.size()) != signature)
    return wrong(ErrorKind::corrupt, at, fmt::format("there is no {}: '{}' is missing", name, signature));
  const uint32_t stored = load_le<uint32_t>(bytes, checksum_at), computed = checksum_of(bytes);
  if (stored == computed) return {};
  return wrong(ErrorKind::corrupt, at + checksum_at,
               fmt::format("the {}'s checksum is {:#010x}, and should be {:#010x}", name, stored, computed));
}

}  // namespace

bool has_identifier(Bytes head) {
  return head.size() >= file_signature.size() && text(head, file_signature.size()) == file_signature;
}

std::vector<std::byte> encode_identifier() {
  std::vector<std::byte> bytes(identifier_size);
  store_text(bytes, 0, file_signature);
  size_t at = file_signature.size();
  for (const char c : std::string_view("Disklathe")) {  // UTF-16
    store_le(bytes, at, static_cast<uint16_t>(c));
    at += 2;
  }
  return bytes;
}

Result<Header> Header::parse(Bytes bytes, uint64_t at) {
  if (auto whole = check_whole(bytes, "head", "header", at); !whole) return failure(whole);
  const auto version = load_le<uint16_t>(bytes, HeaderField::version);
  if (version != version_1)
    return wrong(ErrorKind::unsupported, at + HeaderField::version,
                 fmt::format("the header has version {}, only 1 is known", version));
  Header header{.sequence_number = load_le<uint64_t>(bytes, HeaderField::sequence_number),
                .file_write_id = load_uuid(bytes, HeaderField::file_write_id),
                .data_write_id = load_uuid(bytes, HeaderField::data_write_id),
                .log_id = load_uuid(bytes, HeaderField::log_id),
                .log_length = load_le<uint32_t>(bytes, HeaderField::log_length),
                .log_offset = load_le<uint64_t>(bytes, HeaderField::log_offset)};
  if (header.log_is_empty()) return header;
  const auto log_version = load_le<uint16_t>(bytes, HeaderField::log_version);
  if (log_version != 0)
    return wrong(ErrorKind::unsupported, at + HeaderField::log_version,
                 fmt::format("the log has version {}, only 0 is known", log_version));
  if (!is_multiple(header.log_offset, mebibyte) || !is_multiple(header.log_length, mebibyte) ||
      header.log_offset < mebibyte || header.log_length == 0)
    return wrong(ErrorKind::corrupt, at + HeaderField::log_length,
                 "the log does not lie on whole MiB behind the first");
  return header;
}

std::vector<std::byte> Header::encode() const {
  std::vector<std::byte> bytes(header_size);
  store_text(bytes, 0, "head");
  store_le(bytes, HeaderField::sequence_number, sequence_number);
  store_uuid(bytes, HeaderField::file_write_id, file_write_id);
  store_uuid(bytes, HeaderField::data_write_id, data_write_id);
  store_uuid(bytes, HeaderField::log_id, log_id);
  store_le(bytes, HeaderField::version, version_1);
  store_le(bytes, HeaderField::log_length, log_length);
  store_le(bytes, HeaderField::log_offset, log_offset);
  store_le(bytes, checksum_at, checksum_of(bytes));
  return bytes;
}

Result<Regions> Regions::parse(Bytes bytes, uint64_t at) {
  if (auto whole = check_whole(bytes, "regi", "region table", at); !whole) return failure(whole);
  const auto count = load_le<uint32_t>(bytes, 8);
  if (count > max_regions)
    return wrong(ErrorKind::corrupt, at + 8, fmt::format("the region table has {} entries, 2047 are possible", count));
  Regions regions;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t entry_at = region_entries_at + uint64_t{i} * region_entry_size;
    const Bytes entry = bytes.subspan(entry_at, region_entry_size);
    const Uuid id = load_uuid(entry, 0);
    const uint64_t offset = load_le<uint64_t>(entry, 16);
    const uint32_t length = load_le<uint32_t>(entry, 24);
    Range* known = id == bat_region ? &regions.bat : id == metadata_region ? &regions.metadata : nullptr;
    if (!known) {
      if (!(load_le<uint32_t>(entry, 28) & required_region)) continue;
      return wrong(ErrorKind::unsupported, at + entry_at,
                   fmt::format("the required region {}", text_of_uuid(little_endian_uuid(id))));
    }
    const std::string_view name = known == &regions.bat ? "block allocation table" : "metadata region";
    if (!known->empty()) return wrong(ErrorKind::corrupt, at + entry_at, fmt::format("there are two {}s", name));
    if (!is_multiple(offset, mebibyte) || !is_multiple(length, mebibyte) || offset < mebibyte || length == 0 ||
        !checked_add<uint64_t>(offset, length))
      return wrong(ErrorKind::corrupt, at + entry_at,
                   fmt::format("the {} does not lie on whole MiB behind the first", name));
    *known = {offset, length};
  }
  if (regions.bat.empty()) return wrong(ErrorKind::corrupt, at, "there is no block allocation table");
  if (regions.metadata.empty()) return wrong(ErrorKind::corrupt, at, "there is no metadata region");
  return regions;
}

std::vector<std::byte> Regions::encode() const {
  std::vector<std::byte> bytes(region_table_size);
  store_text(bytes, 0, "regi");
  store_le(bytes, 8, uint32_t{2});
  size_t at = region_entries_at;
  for (const auto& [id, range] : {std::pair{bat_region, bat}, std::pair{metadata_region, metadata}}) {
    store_uuid(bytes, at, id);
    store_le(bytes, at + 16, range.at);
    store_le(bytes, at + 24, static_cast<uint32_t>(range.length));
    store_le(bytes, at + 28, required_region);
    at += region_entry_size;
  }
  store_le(bytes, checksum_at, checksum_of(bytes));
  return bytes;
}

namespace item_id {
constexpr Uuid file_parameters = microsoft_guid("caa16737-fa36-4d43-b3b6-33f0aa44e76b");
constexpr Uuid disk_size = microsoft_guid("2fa54224-cd1b-4876-b211-5dbed83bf4b8");
constexpr Uuid page_83 = microsoft_guid("beca12ab-b2e6-4523-93ef-c309e000c746");
constexpr Uuid logical_sector_size = microsoft_guid("8141bf1d-a96f-4709-ba47-f233a8faab5f");
constexpr Uuid physical_sector_size = microsoft_guid("cda348c7-445d-4471-9cc9-e9885251c556");
constexpr Uuid parent_locator = microsoft_guid("a8d35f2d-b30b-454d-abf7-d3d84834ab0c");
}  // namespace item_id

}  // namespace disklathe::vhdx
