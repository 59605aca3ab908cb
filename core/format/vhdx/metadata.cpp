// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/utf16.h"
#include "core/format/vhdx/layout.h"

namespace disklathe::vhdx {
namespace {

constexpr std::string_view table_signature = "metadata";
constexpr size_t entry_size = 32, entries_at = 32, max_items = 2047;
constexpr uint32_t flag_virtual_disk = 2, flag_required = 4;
constexpr uint32_t file_leave_blocks_allocated = 1;
constexpr size_t locator_header_size = 20, locator_entry_size = 12;

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

// "{B04AEFB7-...}" as text_of_uuid(little_endian_uuid()) writes it.
std::string plain_guid(std::string text) {
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

}  // namespace

Result<std::vector<Item>> parse_metadata_table(Bytes bytes, uint64_t at) {
  if (std::string_view(reinterpret_cast<const char*>(bytes.data()), table_signature.size()) != table_signature)
    return corrupt(at, "there is no metadata table: 'metadata' is missing");
  const auto count = load_le<uint16_t>(bytes, 10);
  if (count > max_items)
    return corrupt(at + 10, fmt::format("the metadata table has {} entries, 2047 are possible", count));
  std::vector<Item> items;
  for (size_t i = 0; i < count; ++i) {
    const Bytes entry = bytes.subspan(entries_at + i * entry_size, entry_size);
    items.push_back({.id = load_uuid(entry, 0),
                     .offset = load_le<uint32_t>(entry, 16),
                     .length = load_le<uint32_t>(entry, 20),
                     .required = (load_le<uint32_t>(entry, 24) & flag_required) != 0});
  }
  return items;
}

uint64_t Disk::blocks() const { return divide_up(size, block_size); }

uint64_t Disk::bat_entries() const {
  if (size == 0) return 0;
  // A disk with a parent has all of the last chunk's entries: its bitmap's is the last.
  return has_parent ? bitmap_bat_index(blocks() - 1) + 1 : bat_index(blocks() - 1) + 1;
}

std::vector<std::byte> Disk::encode() const {
  std::vector<std::byte> bytes(metadata_table_size);
  std::ranges::copy(std::as_bytes(std::span(table_signature)), bytes.begin());
  uint16_t count = 0;
  const auto add = [&](const Uuid& id, uint32_t flags, const std::vector<std::byte>& value) {
    const size_t entry = entries_at + count * entry_size;
    store_uuid(bytes, entry, id);
    store_le(bytes, entry + 16, static_cast<uint32_t>(bytes.size()));
    store_le(bytes, entry + 20, static_cast<uint32_t>(value.size()));
    store_le(bytes, entry + 24, flags);
    bytes.insert(bytes.end(), value.begin(), value.end());
    ++count;
  };
  const auto number = [](auto value) {
    std::vector<std::byte> stored(sizeof value);
    store_le(stored, 0, value);
    return stored;
  };
  std::vector<std::byte> parameters = number(block_size);
  parameters.resize(8);
  store_le(parameters, 4, leave_blocks_allocated ? file_leave_blocks_allocated : 0u);
  add(item_id::file_parameters, flag_required, parameters);
  add(item_id::disk_size, flag_required | flag_virtual_disk, number(size));
  add(item_id::page_83, flag_required | flag_virtual_disk, {page_83.begin(), page_83.end()});
  add(item_id::logical_sector_size, flag_required | flag_virtual_disk, number(logical_sector_size));
  add(item_id::physical_sector_size, flag_required | flag_virtual_disk, number(physical_sector_size));
  store_le(bytes, 10, count);
  return bytes;
}

Result<Parent> parse_parent_locator(Bytes bytes, uint64_t at) {
  if (bytes.size() < locator_header_size) return corrupt(at, "the parent locator is too short");
  const size_t count = load_le<uint16_t>(bytes, 18);
  if (count * locator_entry_size > bytes.size() - locator_header_size)
    return corrupt(at + 18, fmt::format("the parent locator has {} entries, more than fit", count));
  Parent parent;
  std::string relative, absolute;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t entry_at = locator_header_size + i * locator_entry_size;
    const Bytes entry = bytes.subspan(entry_at, locator_entry_size);
    const auto text = [&](uint32_t offset, uint16_t length) -> std::optional<std::string> {
      if (offset > bytes.size() || length > bytes.size() - offset) return std::nullopt;
      return utf8_of_utf16(bytes.subspan(offset, length), std::endian::little);
    };
    const auto key = text(load_le<uint32_t>(entry, 0), load_le<uint16_t>(entry, 8));
    auto value = text(load_le<uint32_t>(entry, 4), load_le<uint16_t>(entry, 10));
    if (!key || !value) return corrupt(at + entry_at, "an entry of the parent locator does not lie inside of it");
    if (*key == "parent_linkage" || *key == "parent_linkage2") parent.linkages.push_back(plain_guid(*value));
    if (*key == "relative_path")
      relative = std::move(*value);
    else if (*key == "absolute_win32_path")
      absolute = std::move(*value);
  }
  parent.path = path_of_windows_path(relative.empty() ? absolute : relative);
  return parent;
}

}  // namespace disklathe::vhdx
