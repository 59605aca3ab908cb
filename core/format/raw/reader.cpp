// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/reader.h"

#include <algorithm>

namespace disklathe::raw {

namespace {

constexpr size_t max_extents = 512;  // of one map() call

class Reader final : public ImageReader {
 public:
  explicit Reader(BlockDevice& file) : file_(file), size_(file.size()) {}

  uint64_t size() const override { return size_; }

  Result<void> map(Range want, std::vector<Extent>& out) override {
    if (want.empty() || want.at >= size_ || want.length > size_ - want.at) {
      return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
    }
    const size_t first = out.size();
    for (uint64_t at = want.at; at < want.end() && out.size() - first < max_extents;) {
      const auto run = file_.allocation(at);
      if (!run) return std::unexpected(run.error());
      const uint64_t end = std::min(run->range.end(), want.end());
      if (end <= at) return failure(ErrorKind::changed, "map", "the file became shorter", at);
      // A hole of the file has its place there like everything else.
      append_merged(out, first,
                    {.kind = run->data ? Extent::Kind::data : Extent::Kind::zero,
                     .guest = Range::between(at, end),
                     .host = Range::between(at, end)});
      at = end;
    }
    return {};
  }

  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  BlockDevice& file_;
  const uint64_t size_;
  const ImageFacts facts_;
  const std::vector<Reference> references_;
};

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) { return std::make_unique<Reader>(*source.file); }

}  // namespace disklathe::raw
