// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/reader.h"

#include "core/base/endian.h"
#include "core/format/qcow2/bitmap_map.h"
#include "core/format/qcow2/bitmaps.h"
#include "core/format/qcow2/decode.h"
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/map.h"
#include "core/format/qcow2/snapshots.h"

namespace disklathe::qcow2 {

namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(const Header& header, const L1Table& l1, const OpenSource& source, std::shared_ptr<Tables> tables,
         std::vector<BitmapMap> bitmaps, ImageFacts facts)
      : compression_type_(header.compression_type),
        size_(l1.disk_size),
        lacks_data_file_(header.has_data_file() && !source.data_file),
        map_(header, l1, *source.file, source.data_file, std::move(tables)),
        bitmaps_(std::move(bitmaps)),
        facts_(std::move(facts)) {
    if (!header.backing_file.empty()) {
      references_.push_back({Reference::Kind::backing, header.backing_file, header.backing_format});
    }
    if (header.has_data_file()) references_.push_back({Reference::Kind::data_file, header.data_file, "raw"});
  }

  uint64_t size() const override { return size_; }

  Result<void> map(Range want, std::vector<Extent>& out) override {
    if (want.empty() || want.at >= size_ || want.length > size_ - want.at) {
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    }
    if (lacks_data_file_) return failure(ErrorKind::refused, "map", "the external data file is not open");
    return map_.walk(want, out);
  }

  uint64_t decode_unit() const override { return *facts_.cluster_size; }

  Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const override {
    auto done = decode_cluster(compression_type_, in, out);
    if (!done) done.error().offset = extent.host.at;
    return done;
  }

  Result<void> map_bitmap(size_t index, Range want, std::vector<BitmapRun>& out) const override {
    if (index >= bitmaps_.size() || want.empty() || want.at >= size_ || want.length > size_ - want.at)
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    return bitmaps_[index].walk(want, out);
  }

  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  const CompressionType compression_type_;
  const uint64_t size_;
  const bool lacks_data_file_;
  const Map map_;
  const std::vector<BitmapMap> bitmaps_;
  const ImageFacts facts_;
  std::vector<Reference> references_;
};

Property bitmap_property(const Bitmap& bitmap) {
  std::vector<Property> flags;
  if (bitmap.in_use) flags.push_back({"", std::string("in-use")});
  if (bitmap.automatic) flags.push_back({"", std::string("auto")});
  return {"", std::vector<Property>{
                  {"flags", std::move(flags)}, {"name", bitmap.name}, {"granularity", bitmap.granularity}}};
}

// "format-specific".data of `qemu-img info`, in its order.
std::vector<Property> specific_facts(const Header& header, const std::vector<Bitmap>& bitmaps) {
  const std::string compression = header.compression_type == CompressionType::zstd ? "zstd" : "zlib";
  std::vector<Property> facts{{"compat", std::string(header.version == 2 ? "0.10" : "1.1")},
                              {"compression-type", compression}};
  if (header.version >= 3) {
    facts.push_back({"lazy-refcounts", (header.compatible_features & compatible_lazy_refcounts) != 0});
  }
  facts.push_back({"refcount-bits", uint64_t{header.refcount_bits()}});
  if (header.has_data_file()) {
    if (!header.data_file.empty()) facts.push_back({"data-file", header.data_file});
    facts.push_back({"data-file-raw", header.data_file_raw()});
  }
  if (header.version >= 3) {
    facts.push_back({"corrupt", (header.incompatible_features & incompatible_corrupt) != 0});
    facts.push_back({"extended-l2", header.extended_l2()});
  }
  if (!bitmaps.empty()) {
    std::vector<Property> list;
    list.reserve(bitmaps.size());
    for (const Bitmap& bitmap : bitmaps) list.push_back(bitmap_property(bitmap));
    facts.push_back({"bitmaps", std::move(list)});
  }
  if (header.crypt_method != CryptMethod::none) {
    const std::string method = header.crypt_method == CryptMethod::aes ? "aes" : "luks";
    facts.push_back({"encrypt", std::vector<Property>{{"format", method}}});
  }
  return facts;
}

// Those whose content counts, and that are whole.
std::vector<BitmapMap> maps_of(const std::vector<Bitmap>& bitmaps, const Header& header, BlockDevice& file,
                               const std::shared_ptr<Tables>& tables, ImageFacts& facts) {
  std::vector<BitmapMap> maps;
  for (const Bitmap& bitmap : bitmaps) {
    if (bitmap.in_use) continue;
    if (auto map = BitmapMap::create(header, bitmap, file, tables)) {
      maps.push_back(std::move(*map));
      facts.bitmaps.push_back(bitmap.name);
    } else {
      facts.warnings.push_back(map.error().cause);
    }
  }
  return maps;
}

ImageFacts facts_of(BlockDevice& file, const Header& header, const std::vector<SnapshotEntry>& snapshots,
                    std::vector<Bitmap>& bitmaps) {
  ImageFacts facts;
  facts.cluster_size = header.cluster_size();
  facts.dirty = (header.incompatible_features & incompatible_dirty) != 0;
  facts.corrupt = (header.incompatible_features & incompatible_corrupt) != 0;
  if (header.crypt_method != CryptMethod::none) facts.encrypted = true;
  for (const SnapshotEntry& entry : snapshots) facts.snapshots.push_back(entry.facts);
  if (*facts.dirty) facts.warnings.push_back("the dirty bit is set: the image was not closed properly");
  if (*facts.corrupt) facts.warnings.push_back("the corrupt bit is set: the image is known to be damaged");

  // Bitmaps say nothing about the disk's content: damage there is worth a warning and no more.
  if (header.bitmaps && !(header.autoclear_features & autoclear_bitmaps)) {
    facts.warnings.push_back("the bitmaps are inconsistent: a program that does not know them wrote to the image");
  } else if (header.bitmaps) {
    if (auto read = read_bitmaps(file, header)) {
      bitmaps = std::move(*read);
    } else {
      facts.warnings.push_back("the bitmaps cannot be read: " + read.error().cause);
    }
  }
  facts.specific = specific_facts(header, bitmaps);
  return facts;
}

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  auto cache = source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity);
  return open_with(source, std::make_shared<StoredTables>(*source.file, std::move(cache)));
}

Result<std::unique_ptr<ImageReader>> open_with(const OpenSource& source, std::shared_ptr<Tables> tables) {
  auto header = read_header(*source.file);
  if (!header) return failure(header);
  auto snapshots = read_snapshots(*source.file, *header);
  if (!snapshots) return failure(snapshots);
  Result<L1Table> l1 = L1Table{header->l1_table_offset, header->l1_size, header->size};
  if (!source.snapshot.empty()) {
    l1 = find_snapshot(*snapshots, source.snapshot, *header, source.file->size());
    if (!l1) return failure(l1);
  }
  std::vector<Bitmap> bitmaps;
  ImageFacts facts = facts_of(*source.file, *header, *snapshots, bitmaps);
  // They tell of the active state.
  if (!source.snapshot.empty()) bitmaps.clear();
  auto maps = maps_of(bitmaps, *header, *source.file, tables, facts);
  return std::make_unique<Reader>(*header, *l1, source, std::move(tables), std::move(maps), std::move(facts));
}

int probe(Bytes head, Bytes, uint64_t) {
  if (head.size() < header_length_v2 || load_be<uint32_t>(head) != magic) return 0;
  const auto version = load_be<uint32_t>(head, 4);
  // Other versions are not read, but are not to be taken for raw either.
  return version == 2 || version == 3 ? 100 : 50;
}

}  // namespace disklathe::qcow2
