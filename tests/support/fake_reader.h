// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/format/image_reader.h"

namespace disklathe::test {

// An image that is nothing but the map it was given; extents must cover the disk. At most `per_call` extents a call, as
// real formats answer a bounded piece at a time.
class FakeReader : public ImageReader {
 public:
  explicit FakeReader(std::vector<Extent> extents, size_t per_call = 2)
      : extents_(std::move(extents)), per_call_(per_call) {}

  uint64_t size() const override { return extents_.empty() ? 0 : extents_.back().guest.end(); }
  Result<void> map(Range want, std::vector<Extent>& out) override {
    size_t given = 0;
    for (const Extent& extent : extents_) {
      if (intersection(extent.guest, want).empty() || given == per_call_) continue;
      out.push_back(clipped(extent, intersection(extent.guest, want)));
      ++given;
    }
    return {};
  }
  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  std::vector<Extent> extents_;
  size_t per_call_;
  ImageFacts facts_;
  std::vector<Reference> references_;
};

inline Extent data(uint64_t at, uint64_t length, uint64_t host) {
  return {.kind = Extent::Kind::data, .guest = {at, length}, .host = {host, length}};
}
inline Extent zero(uint64_t at, uint64_t length) { return {.kind = Extent::Kind::zero, .guest = {at, length}}; }

}  // namespace disklathe::test
