// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qed/reader.h"

#include "core/base/endian.h"
#include "core/format/qed/map.h"

namespace disklathe::qed {
namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(const Header& header, const OpenSource& source)
      : size_(header.image_size),
        map_(header, *source.file, source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity)) {
    facts_.cluster_size = header.cluster_size;
    facts_.dirty = (header.features & feature_need_check) != 0;
    if (*facts_.dirty) facts_.warnings.push_back("it needs a check: it was not closed properly");
    if (!header.backing_file.empty()) {
      const bool raw = header.features & feature_backing_format_no_probe;
      references_.push_back({Reference::Kind::backing, header.backing_file, raw ? "raw" : ""});
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
  const Map map_;
  ImageFacts facts_;
  std::vector<Reference> references_;
};

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  if (!source.snapshot.empty()) return failure(ErrorKind::unsupported, "open", "QED images have no snapshots inside");
  const auto header = read_header(*source.file);
  if (!header) return std::unexpected(header.error());
  return std::make_unique<Reader>(*header, source);
}

int probe(Bytes head, Bytes, uint64_t) {
  return head.size() >= Field::end && load_le<uint32_t>(head) == magic ? 100 : 0;
}

}  // namespace disklathe::qed
