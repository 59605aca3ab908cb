// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/format/utf16.h"
#include "core/format/vhd/layout.h"
#include "core/format/vhd/map.h"

namespace disklathe::vhd {

namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache
constexpr uint32_t max_locator_length = 65536;  // bytes: the longest path Windows knows, in UTF-16

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

class Reader final : public ImageReader {
 public:
  Reader(uint64_t size, std::optional<Map> map, ImageFacts facts, std::vector<Reference> references)
      : size_(size), map_(std::move(map)), facts_(std::move(facts)), references_(std::move(references)) {}

  uint64_t size() const override { return size_; }

  Result<void> map(Range want, std::vector<Extent>& out) override {
    if (want.empty() || want.at >= size_ || want.length > size_ - want.at) {
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    }
    if (map_) return map_->walk(want, out);
    out.push_back({.kind = Extent::Kind::data, .guest = want, .host = want});
    return {};
  }

  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  const uint64_t size_;
  const std::optional<Map> map_;  // nothing: a fixed disk
  const ImageFacts facts_;
  const std::vector<Reference> references_;
};

struct Found {
  Footer footer;
  uint64_t at = 0;
  bool is_copy = false;
};

// tail: the file's last bytes. Where in it a footer begins: 512 bytes before the end, or 511 in old files.
std::optional<size_t> footer_in(Bytes tail) {
  for (const uint64_t size : {footer_size, short_footer_size})
    if (tail.size() >= size && is_footer(tail.last(size))) return tail.size() - size;
  return std::nullopt;
}

Result<Footer> parse_padded(Bytes bytes, uint64_t at) {
  std::array<std::byte, footer_size> padded{};
  std::ranges::copy(bytes.first(std::min<size_t>(bytes.size(), padded.size())), padded.begin());
  return Footer::parse(padded, at);
}

Result<Found> find_footer(BlockDevice& file) {
  std::vector<std::byte> tail(std::min(file.size(), footer_size)), head(tail.size());
  const uint64_t tail_at = file.size() - tail.size();
  if (auto read = file.read_now(tail_at, tail); !read) return failure(read);
  if (auto read = file.read_now(0, head); !read) return failure(read);
  std::optional<Error> why;
  if (const auto at = footer_in(tail)) {
    auto footer = parse_padded(Bytes(tail).subspan(*at), tail_at + *at);
    if (footer) return Found{.footer = *footer, .at = tail_at + *at};
    why = std::move(footer.error());
  }
  if (head.size() == footer_size && is_footer(head)) {
    auto footer = Footer::parse(head, 0);
    if (footer && footer->type != DiskType::fixed) return Found{.footer = *footer, .is_copy = true};
    if (!footer && !why) why = std::move(footer.error());
  }
  if (why) return failure(std::move(*why));
  return corrupt(tail_at, "there is no footer: 'conectix' is missing at the end of the file and at its start");
}

// The parent's name: what leads from the image's own folder is preferred to what a Windows machine once called it.
Result<std::string> parent_of(BlockDevice& file, const DynamicHeader& header, uint64_t header_at) {
  for (const std::string_view wanted : {"W2ru", "W2ku"}) {
    for (const ParentLocator& locator : header.locators) {
      if (std::string_view(locator.platform.data(), locator.platform.size()) != wanted) continue;
      if (locator.length > max_locator_length || locator.offset > file.size() ||
          locator.length > file.size() - locator.offset)
        return corrupt(header_at, fmt::format("the parent locator {} does not lie inside the file", wanted));
      std::vector<std::byte> text(locator.length);
      if (auto read = file.read_now(locator.offset, text); !read) return failure(read);
      std::string name = path_of_windows_path(utf8_of_utf16(text, std::endian::little));
      if (!name.empty()) return name;
    }
  }
  return path_of_windows_path(header.parent_name);
}

Result<std::unique_ptr<ImageReader>> open_fixed(const Found& found, ImageFacts facts) {
  const uint64_t size = found.footer.disk_size();
  if (size > found.at)
    return corrupt(found.at, fmt::format("a fixed disk of {} bytes has only {} before its footer", size, found.at));
  return std::make_unique<Reader>(size, std::nullopt, std::move(facts), std::vector<Reference>{});
}

Result<std::unique_ptr<ImageReader>> open_dynamic(const OpenSource& source, const Found& found, ImageFacts facts) {
  BlockDevice& file = *source.file;
  const Footer& footer = found.footer;
  const uint64_t header_at = footer.data_offset, size = footer.disk_size();
  if (header_at > file.size() || header_size > file.size() - header_at)
    return corrupt(found.at, "the header of the dynamic disk does not lie inside the file");
  std::vector<std::byte> bytes(header_size);
  if (auto read = file.read_now(header_at, bytes); !read) return failure(read);
  const auto header = DynamicHeader::parse(bytes, header_at);
  if (!header) return std::unexpected(header.error());

  const uint64_t entries = divide_up(size, header->block_size), bat_size = entries * bat_entry_size;
  if (entries > header->max_table_entries)
    return corrupt(header_at, fmt::format("the block allocation table has {} entries, a disk of {} bytes needs {}",
                                          header->max_table_entries, size, entries));
  if (header->table_offset > file.size() || bat_size > file.size() - header->table_offset ||
      !is_multiple(header->table_offset, bat_entry_size))
    return corrupt(header_at, "the block allocation table does not lie inside the file, or not on a sector");

  facts.cluster_size = header->block_size;
  std::vector<Reference> references;
  const bool differencing = footer.type == DiskType::differencing;
  if (differencing) {
    auto name = parent_of(file, *header, header_at);
    if (!name) return failure(name);
    references.push_back({.kind = Reference::Kind::backing,
                          .name = std::move(*name),
                          .format = "vpc",
                          .identities = {text_of_uuid(header->parent_unique_id)}});
  }
  std::vector<Range> reserved{{0, footer_size}, {header_at, header_size}, {header->table_offset, bat_size}};
  if (!found.is_copy) reserved.push_back(Range::between(found.at, file.size()));
  Map map(*header, size, differencing, std::move(reserved), file,
          source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity));
  return std::make_unique<Reader>(size, std::move(map), std::move(facts), std::move(references));
}

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  if (!source.snapshot.empty()) return failure(ErrorKind::not_found, "open", "VHD has no internal snapshots");
  auto found = find_footer(*source.file);
  if (!found) return failure(found);
  ImageFacts facts{.identity = text_of_uuid(found->footer.unique_id)};
  if (found->is_copy)
    facts.warnings.push_back("the footer at the end of the file is damaged or missing; its copy at the start is used");
  if (found->footer.saved_state) facts.warnings.push_back("it belongs to the saved state of a virtual machine");
  return found->footer.type == DiskType::fixed ? open_fixed(*found, std::move(facts))
                                               : open_dynamic(source, *found, std::move(facts));
}

int probe(Bytes head, Bytes tail, uint64_t file_size) {
  if (is_footer(head)) return 100;
  // A fixed disk begins with the guest's own bytes. Its footer says exactly how many they are; nothing else counts, as
  // the end of a raw disk may hold anything.
  const auto at = footer_in(tail);
  if (!at) return 0;
  const auto footer = parse_padded(tail.subspan(*at), 0);
  const uint64_t before = file_size - (tail.size() - *at);
  return footer && footer->type == DiskType::fixed && footer->current_size == before ? 90 : 0;
}

}  // namespace disklathe::vhd
