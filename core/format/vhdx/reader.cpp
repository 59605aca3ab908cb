// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/reader.h"

#include <utility>

#include "core/format/vhdx/image.h"
#include "core/format/vhdx/map.h"

namespace disklathe::vhdx {

namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(ImageMetadata image, const OpenSource& source)
      : size_(image.disk.size),
        replayed_(std::move(image.replayed)),
        map_(image.disk, image.regions.bat.at, std::move(image.reserved), *source.file,
             replayed_ ? *replayed_ : *source.file, replayed_ ? &replayed_->patches() : nullptr,
             // A replayed file is this reader's own: nobody else may find its tables.
             source.tables && !replayed_ ? source.tables : std::make_shared<TableCache>(own_cache_capacity)) {
    facts_.identity = text_of_uuid(little_endian_uuid(image.header.data_write_id));
    facts_.cluster_size = image.disk.block_size;
    facts_.warnings = std::move(image.warnings);
    if (image.disk.has_parent) {
      references_.push_back({.kind = Reference::Kind::backing,
                             .name = std::move(image.parent.path),
                             .format = "vhdx",
                             .identities = std::move(image.parent.linkages)});
    }
  }

  uint64_t size() const override { return size_; }

  Result<void> map(Range want, std::vector<Extent>& out) override {
    if (want.empty() || want.at >= size_ || want.length > size_ - want.at) {
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    }
    return map_.walk(want, out);
  }

  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  const uint64_t size_;
  const std::unique_ptr<ReplayedFile> replayed_;
  const Map map_;
  ImageFacts facts_;
  std::vector<Reference> references_;
};

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  if (!source.snapshot.empty()) return failure(ErrorKind::not_found, "open", "VHDX has no internal snapshots");
  auto image = read_metadata(*source.file);
  if (!image) return failure(image);
  return std::make_unique<Reader>(std::move(*image), source);
}

int probe(Bytes head, Bytes, uint64_t) { return has_identifier(head) ? 100 : 0; }

}  // namespace disklathe::vhdx
