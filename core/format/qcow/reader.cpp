// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow/reader.h"

#include <algorithm>

#include "core/base/endian.h"
#include "core/format/deflate.h"
#include "core/format/qcow/map.h"

namespace disklathe::qcow {
namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(const Header& header, const OpenSource& source)
      : size_(header.size()),
        map_(header, *source.file, source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity)) {
    facts_.cluster_size = header.cluster_size();
    facts_.dirty = false;
    if (header.crypt_method != CryptMethod::none) facts_.encrypted = true;
    facts_.compressed = begins_compressed();
    if (!header.backing_file.empty()) references_.push_back({Reference::Kind::backing, header.backing_file, {}});
  }

  uint64_t size() const override { return size_; }

  Result<void> map(Range want, std::vector<Extent>& out) override {
    if (want.empty() || want.at >= size_ || want.length > size_ - want.at) {
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    }
    return map_.walk(want, out);
  }

  uint64_t decode_unit() const override { return *facts_.cluster_size; }

  Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const override {
    auto done = inflate_cluster(in, out);
    if (!done) done.error().offset = extent.host.at;
    return done;
  }

  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  // Whoever compresses an image compresses all of it, so the first cluster tells. What is wrong is said by map().
  bool begins_compressed() const {
    std::vector<Extent> extents;
    if (size_ == 0 || !map_.walk({0, size_}, extents)) return false;
    const auto first = std::ranges::find_if_not(extents, reads_zero);
    return first != extents.end() && first->kind == Extent::Kind::compressed;
  }

  const uint64_t size_;
  const Map map_;
  ImageFacts facts_;
  std::vector<Reference> references_;
};

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  if (!source.snapshot.empty())
    return failure(ErrorKind::unsupported, "open", "qcow images have no snapshots inside; those of qcow2 do");
  const auto header = read_header(*source.file);
  if (!header) return std::unexpected(header.error());
  return std::make_unique<Reader>(*header, source);
}

int probe(Bytes head, Bytes, uint64_t) {
  if (head.size() < Field::end || load_be<uint32_t>(head) != magic) return 0;
  return load_be<uint32_t>(head, Field::version) == version ? 100 : 0;
}

}  // namespace disklathe::qcow
