// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/vhdx/log.h"

namespace disklathe::vhdx {
namespace {

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

Result<std::vector<std::byte>> read(BlockDevice& file, uint64_t at, uint64_t length) {
  if (at > file.size() || length > file.size() - at)
    return corrupt(file.size(), fmt::format("the file ends before byte {}", at + length));
  std::vector<std::byte> bytes(length);
  if (auto done = file.read_now(at, bytes); !done) return failure(done);
  return bytes;
}

template <class T>
Result<T> read_and_parse(BlockDevice& file, uint64_t at, uint64_t length) {
  const auto bytes = read(file, at, length);
  if (!bytes) return std::unexpected(bytes.error());
  return T::parse(*bytes, at);
}

// A newer version is not an older one that is damaged.
bool is_newer(const Error& error) { return error.kind == ErrorKind::unsupported; }

Result<Header> read_header(BlockDevice& file, std::vector<std::string>& warnings) {
  std::array<Result<Header>, 2> both{read_and_parse<Header>(file, header_at[0], header_size),
                                     read_and_parse<Header>(file, header_at[1], header_size)};
  for (const auto& one : both)
    if (!one && is_newer(one.error())) return one;
  if (!both[0] && !both[1]) return both[0];
  if (!both[0] || !both[1]) {
    // Usual after a crash: headers are written one after the other, so that one is always whole.
    warnings.push_back("one of the two headers is damaged; the other one is used");
    return both[0] ? both[0] : both[1];
  }
  if (both[0]->sequence_number == both[1]->sequence_number && *both[0] != *both[1])
    return corrupt(header_at[1], "both headers have the same sequence number, and do not say the same");
  return both[1]->sequence_number > both[0]->sequence_number ? both[1] : both[0];
}

Result<Regions> read_regions(BlockDevice& file, std::vector<std::string>& warnings) {
  auto first = read_and_parse<Regions>(file, region_table_at[0], region_table_size);
  if (first || is_newer(first.error())) return first;
  auto second = read_and_parse<Regions>(file, region_table_at[1], region_table_size);
  if (!second) return is_newer(second.error()) ? second : first;
  warnings.push_back("the first region table is damaged; the second one is used");
  return second;
}

// Items by what they are, read and bounded.
class Metadata {
 public:
  Metadata(BlockDevice& file, Range region) : file_(file), region_(region) {}

  Result<void> read_table() {
    const auto table = read(file_, region_.at, metadata_table_size);
    if (!table) return std::unexpected(table.error());
    auto items = parse_metadata_table(*table, region_.at);
    if (!items) return failure(items);
    items_ = std::move(*items);
    static const std::array known{
        item_id::file_parameters,      item_id::disk_size,     item_id::page_83, item_id::logical_sector_size,
        item_id::physical_sector_size, item_id::parent_locator};
    for (const Item& item : items_) {
      if (item.required && !std::ranges::contains(known, item.id))
        return failure(ErrorKind::unsupported, "open",
                       fmt::format("the required metadata item {}", text_of_uuid(little_endian_uuid(item.id))),
                       region_.at);
    }
    return {};
  }

  // least: bytes that it must have.
  Result<std::vector<std::byte>> item(const Uuid& id, std::string_view name, uint32_t least) {
    const auto found = std::ranges::find(items_, id, &Item::id);
    if (found == items_.end()) return corrupt(region_.at, fmt::format("the metadata do not tell the {}", name));
    if (found->length < least || found->length > max_item_size || found->offset < metadata_table_size ||
        found->offset > region_.length || found->length > region_.length - found->offset)
      return corrupt(region_.at, fmt::format("the metadata item of the {} does not lie inside the region", name));
    at_ = region_.at + found->offset;
    return read(file_, at_, found->length);
  }
  template <class T>
  Result<T> number(const Uuid& id, std::string_view name) {
    const auto bytes = item(id, name, sizeof(T));
    if (!bytes) return std::unexpected(bytes.error());
    return load_le<T>(*bytes);
  }
  // Of the item that was read last.
  uint64_t at() const { return at_; }

 private:
  BlockDevice& file_;
  const Range region_;
  std::vector<Item> items_;
  uint64_t at_ = 0;
};

bool is_sector_size(uint32_t size) { return size == 512 || size == 4096; }

Result<Disk> read_disk(Metadata& metadata) {
  Disk disk;
  const auto parameters = metadata.item(item_id::file_parameters, "block size", 8);
  if (!parameters) return std::unexpected(parameters.error());
  disk.block_size = load_le<uint32_t>(*parameters);
  const auto flags = load_le<uint32_t>(*parameters, 4);
  disk.leave_blocks_allocated = flags & 1;
  disk.has_parent = flags & 2;
  if (!std::has_single_bit(disk.block_size) || disk.block_size < min_block_size || disk.block_size > max_block_size)
    return corrupt(metadata.at(),
                   fmt::format("the block size {} is not a power of two from 1 MiB to 256 MiB", disk.block_size));

  const auto logical = metadata.number<uint32_t>(item_id::logical_sector_size, "logical sector size");
  if (!logical) return std::unexpected(logical.error());
  disk.logical_sector_size = *logical;
  if (!is_sector_size(*logical))
    return corrupt(metadata.at(), fmt::format("the logical sector size {} is neither 512 nor 4096", *logical));
  const auto physical = metadata.number<uint32_t>(item_id::physical_sector_size, "physical sector size");
  if (!physical) return std::unexpected(physical.error());
  disk.physical_sector_size = *physical;
  if (!is_sector_size(*physical))
    return corrupt(metadata.at(), fmt::format("the physical sector size {} is neither 512 nor 4096", *physical));

  const auto size = metadata.number<uint64_t>(item_id::disk_size, "disk's size");
  if (!size) return std::unexpected(size.error());
  disk.size = *size;
  if (disk.size > max_disk_size) return corrupt(metadata.at(), "the disk is larger than 64 TiB");
  if (!is_multiple(disk.size, disk.logical_sector_size))
    return corrupt(metadata.at(), fmt::format("the disk's size {} is not whole sectors", disk.size));
  return disk;
}

Result<void> check_places(ImageMetadata& image, uint64_t file_size) {
  const Range log{image.header.log_offset, image.header.log_length};
  const std::array<std::pair<Range, std::string_view>, 2> regions{
      std::pair{image.regions.bat, std::string_view("block allocation table")},
      std::pair{image.regions.metadata, std::string_view("metadata region")}};
  image.reserved = {{0, mebibyte}};
  if (checked_add(log.at, log.length)) image.reserved.push_back(log);  // an empty log's place may be any
  for (const auto& [region, name] : regions) {
    if (region.at > file_size || region.length > file_size - region.at)
      return corrupt(region_table_at[0], fmt::format("the {} does not lie inside the file", name));
    for (const Range& other : image.reserved)
      if (!intersection(region, other).empty())
        return corrupt(region_table_at[0], fmt::format("the {} overlaps the log or another region", name));
    image.reserved.push_back(region);
  }
  if (image.disk.bat_entries() * bat_entry_size > image.regions.bat.length)
    return corrupt(region_table_at[0],
                   fmt::format("the block allocation table has {} bytes, the disk needs {}", image.regions.bat.length,
                               image.disk.bat_entries() * bat_entry_size));
  return {};
}

}  // namespace

Result<ImageMetadata> read_metadata(BlockDevice& file) {
  const auto head = read(file, 0, 8);
  if (!head) return std::unexpected(head.error());
  if (!has_identifier(*head)) return corrupt(0, "this is no VHDX file: 'vhdxfile' is missing");
  ImageMetadata image;
  auto header = read_header(file, image.warnings);
  if (!header) return failure(header);
  image.header = *header;
  if (!image.header.log_is_empty()) {
    auto replayed = replay_log(file, image.header);
    if (!replayed) return failure(replayed);
    image.replayed = std::move(*replayed);
    image.warnings.push_back("it was not closed properly: what its log says counts");
  }
  BlockDevice& current = image.replayed ? *image.replayed : file;
  auto regions = read_regions(current, image.warnings);
  if (!regions) return failure(regions);
  image.regions = *regions;
  Metadata metadata(current, image.regions.metadata);
  if (auto done = metadata.read_table(); !done) return failure(done);
  auto disk = read_disk(metadata);
  if (!disk) return failure(disk);
  image.disk = *disk;
  if (image.disk.has_parent) {
    const auto locator = metadata.item(item_id::parent_locator, "parent", 0);
    if (!locator) return std::unexpected(locator.error());
    auto parent = parse_parent_locator(*locator, metadata.at());
    if (!parent) return failure(parent);
    image.parent = std::move(*parent);
  }
  if (auto right = check_places(image, current.size()); !right) return failure(right);
  return image;
}

}  // namespace disklathe::vhdx
