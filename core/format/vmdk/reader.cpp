// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/reference_path.h"
#include "core/format/vmdk/descriptor.h"
#include "core/format/vmdk/grain.h"

namespace disklathe::vmdk {
namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache
constexpr size_t max_extent_files = 2048;       // an Image opens no more

// One extent of the disk, where its bytes are found.
struct Part {
  DescribedExtent described;
  Range guest{};
  std::string file_name;        // as info shows it
  uint16_t file = 0;            // Extent::file
  std::optional<GrainMap> map;  // of a sparse one whose file is open
};

class Reader final : public ImageReader {
 public:
  Reader(const Descriptor& descriptor, std::vector<Part> parts, std::vector<Reference> references, bool closed)
      : parts_(std::move(parts)), references_(std::move(references)), closed_(closed) {
    tell_facts(descriptor);
  }

  uint64_t size() const override { return parts_.empty() ? 0 : parts_.back().guest.end(); }
  uint64_t decode_unit() const override { return decode_unit_; }
  Result<void> map(Range want, std::vector<Extent>& out) override;
  Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const override;
  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

  Result<std::vector<GrainMap>> sparse_extents() const;

 private:
  static std::unexpected<Error> not_open() { return failure(ErrorKind::refused, "map", "the extents are not open"); }
  void tell_facts(const Descriptor& descriptor);

  const std::vector<Part> parts_;
  const std::vector<Reference> references_;
  const bool closed_;
  uint64_t decode_unit_ = 1;
  ImageFacts facts_;
};

std::string text_of_id(uint32_t content_id) { return fmt::format("{:08x}", content_id); }

// "format-specific".data of `qemu-img info`.
Property extent_property(const Part& part) {
  std::vector<Property> facts;
  if (part.map && part.map->header().compressed()) facts.push_back({"compressed", true});
  facts.push_back({"virtual-size", part.guest.length});
  facts.push_back({"filename", part.file_name});
  if (part.map) facts.push_back({"cluster-size", part.map->header().grain_size()});
  facts.push_back({"format", part.described.type});
  return {"", std::move(facts)};
}

void Reader::tell_facts(const Descriptor& descriptor) {
  std::vector<Property> extents;
  bool same_grains = true;
  for (const Part& part : parts_) {
    extents.push_back(extent_property(part));
    const uint64_t grain = part.map ? part.map->header().grain_size() : 0;
    const uint64_t first = parts_.front().map ? parts_.front().map->header().grain_size() : 0;
    same_grains &= grain == first;
    if (!part.map) continue;
    if (part.map->header().compressed()) {
      facts_.compressed = true;
      decode_unit_ = std::max(decode_unit_, grain);
    }
    if (part.map->header().unclean && facts_.warnings.empty()) {
      facts_.warnings.push_back("it was not closed properly");
    }
  }
  if (same_grains && !parts_.empty() && parts_.front().map)
    facts_.cluster_size = parts_.front().map->header().grain_size();
  facts_.identity = text_of_id(descriptor.cid);
  facts_.specific = {{"cid", uint64_t{descriptor.cid}},
                     {"parent-cid", uint64_t{descriptor.parent_cid}},
                     {"create-type", descriptor.create_type},
                     {"extents", std::move(extents)}};
}

Result<void> Reader::map(Range want, std::vector<Extent>& out) {
  if (want.empty() || want.at >= size() || want.length > size() - want.at) {
    return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
  }
  if (closed_) return not_open();
  const auto part = std::ranges::upper_bound(parts_, want.at, {}, [](const Part& one) { return one.guest.end(); });
  const Range here = intersection(want, part->guest);
  if (part->map) return part->map->walk(part->guest.at, here, out);
  Extent extent{.kind = Extent::Kind::zero, .guest = here};
  if (part->described.kind == DescribedExtent::Kind::flat) {
    extent.kind = Extent::Kind::data;
    extent.file = part->file;
    extent.host = {part->described.offset * sector_size + (here.at - part->guest.at), here.length};
  }
  out.push_back(extent);
  return {};
}

Result<std::vector<GrainMap>> Reader::sparse_extents() const {
  if (closed_) return not_open();
  std::vector<GrainMap> maps;
  for (const Part& part : parts_)
    if (part.map) maps.push_back(*part.map);
  return maps;
}

Result<void> Reader::decode(const Extent& extent, Bytes in, MutableBytes out) const {
  auto done = decode_grain(in, out);
  // The last grain of a disk may be cut where the disk ends.
  if (done && *done < extent.decoded_skip + extent.guest.length) {
    done = failure(ErrorKind::corrupt, "decode", "the zlib stream of a grain ends early");
  }
  if (done) return {};
  done.error().offset = extent.host.at;
  return failure(done);
}

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

std::vector<Reference> parent_of(const Descriptor& descriptor) {
  if (!descriptor.has_parent()) return {};
  return {{.kind = Reference::Kind::backing,
           .name = descriptor.parent_hint,
           .format = "vmdk",
           .identities = {text_of_id(descriptor.parent_cid)}}};
}

// An extent that holds its descriptor.
Result<std::unique_ptr<Reader>> open_monolithic(const OpenSource& source, std::shared_ptr<TableCache> tables) {
  BlockDevice& file = *source.file;
  const auto header = read_sparse_header(file);
  if (!header) return std::unexpected(header.error());
  const auto text = read_descriptor(file, *header);
  if (!text) return std::unexpected(text.error());
  if (text->empty()) {
    return failure(ErrorKind::unsupported, "open",
                   "it is one extent of a disk; the disk is opened by its descriptor, a small text file beside it");
  }
  auto descriptor = Descriptor::parse(*text);
  if (!descriptor) {
    if (descriptor.error().offset) *descriptor.error().offset += header->descriptor_sector * sector_size;
    return failure(descriptor);
  }
  descriptor->create_type = header->compressed() ? "streamOptimized" : "monolithicSparse";  // as QEMU calls them
  std::vector<Part> parts;
  // The extent is this file, whatever its line says; it may have been renamed.
  parts.push_back({.described = {.kind = DescribedExtent::Kind::sparse},
                   .guest = {0, header->capacity * sector_size},
                   .file_name = std::string(file.name()),
                   .map = GrainMap(*header, file, 0, std::move(tables))});
  return std::make_unique<Reader>(*descriptor, std::move(parts), parent_of(*descriptor), false);
}

Result<Descriptor> read_descriptor_file(BlockDevice& file) {
  if (file.size() > max_descriptor_size) {
    return corrupt(0, fmt::format("a descriptor of {} bytes, above {}", file.size(), max_descriptor_size));
  }
  std::string text(file.size(), '\0');
  if (auto read = file.read_now(0, std::as_writable_bytes(std::span(text))); !read) return failure(read);
  return Descriptor::parse(text);
}

// An extent's file is what its line says.
Result<void> open_part(Part& part, size_t number, BlockDevice& file, std::shared_ptr<TableCache> tables) {
  part.file_name = std::string(file.name());
  const auto about = [&](std::string cause) {
    return fmt::format("extent {} ({:?}): {}", number, part.described.name, cause);
  };
  if (part.described.kind == DescribedExtent::Kind::flat) {
    const uint64_t sectors = file.size() / sector_size;
    if (part.described.offset > sectors || part.described.sectors > sectors - part.described.offset) {
      return corrupt(part.guest.at, about("its file ends before it"));
    }
    return {};
  }
  auto header = read_sparse_header(file);
  if (!header) {
    header.error().cause = about(header.error().cause);
    return failure(header);
  }
  if (header->capacity != part.described.sectors) {
    return corrupt(Field::capacity, about(fmt::format("it has {} sectors, the descriptor says {}", header->capacity,
                                                      part.described.sectors)));
  }
  part.map.emplace(*header, file, part.file, std::move(tables));
  return {};
}

Result<std::unique_ptr<Reader>> open_described(const OpenSource& source, std::shared_ptr<TableCache> tables) {
  const auto descriptor = read_descriptor_file(*source.file);
  if (!descriptor) return std::unexpected(descriptor.error());
  std::vector<Reference> references = parent_of(*descriptor);
  const size_t before = references.size();
  std::vector<Part> parts;
  uint64_t at = 0;
  for (const DescribedExtent& extent : descriptor->extents) {
    Part part{.described = extent, .guest = {at, extent.sectors * sector_size}};
    at = part.guest.end();
    if (extent.kind != DescribedExtent::Kind::zero) {
      part.file_name = resolve_reference(source.file->name(), extent.name);
      // Several extents may be parts of one file.
      auto reference = std::ranges::find(references.begin() + static_cast<std::ptrdiff_t>(before), references.end(),
                                         extent.name, &Reference::name);
      if (reference == references.end()) {
        references.push_back({.kind = Reference::Kind::extent, .name = extent.name, .format = {}});
        reference = references.end() - 1;
      }
      const auto index = static_cast<size_t>(reference - references.begin()) - before;
      if (index >= max_extent_files)
        return failure(ErrorKind::unsupported, "open", fmt::format("more than {} files", max_extent_files));
      part.file = static_cast<uint16_t>(1 + index);
    }
    parts.push_back(std::move(part));
  }
  const bool closed = source.extents.size() < references.size() - before;
  for (size_t i = 0; !closed && i < parts.size(); ++i) {
    if (parts[i].file == 0) continue;
    if (auto opened = open_part(parts[i], i, *source.extents[parts[i].file - 1], tables); !opened)
      return failure(opened);
  }
  return std::make_unique<Reader>(*descriptor, std::move(parts), std::move(references), closed);
}

Result<std::unique_ptr<Reader>> open_disk(const OpenSource& source) {
  if (!source.snapshot.empty()) {
    return failure(ErrorKind::unsupported, "open", "VMDK images have no snapshots inside; each is a file of its own");
  }
  auto tables = source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity);
  std::vector<std::byte> head(std::min<uint64_t>(source.file->size(), 4096));
  if (auto read = source.file->read_now(0, head); !read) return failure(read);
  const uint32_t magic = head.size() < 4 ? 0 : load_le<uint32_t>(head);
  if (magic == magic_hosted || magic == magic_esx) return open_monolithic(source, std::move(tables));
  if (looks_like_descriptor(head)) return open_described(source, std::move(tables));
  return corrupt(0, "it is neither a VMDK extent nor a descriptor");
}

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) { return open_disk(source); }

Result<std::vector<GrainMap>> open_sparse_extents(const OpenSource& source) {
  const auto reader = open_disk(source);
  if (!reader) return std::unexpected(reader.error());
  return (*reader)->sparse_extents();
}

int probe(Bytes head, Bytes, uint64_t) {
  if (head.size() < 4) return 0;
  const auto magic = load_le<uint32_t>(head);
  return magic == magic_hosted || magic == magic_esx || looks_like_descriptor(head) ? 100 : 0;
}

}  // namespace disklathe::vmdk
