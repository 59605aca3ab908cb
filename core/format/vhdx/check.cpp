// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/vhdx/image.h"

namespace disklathe::vhdx {
namespace {

constexpr uint64_t read_at_once = 64 << 10;  // bytes of the BAT

class Check {
 public:
  Check(const ImageMetadata& image, BlockDevice& file)
      : image_(image), file_(file), size_(file.size()), taken_(divide_up(std::min(size_, largest_size), mebibyte)) {
    for (const Range& reserved : image.reserved) take(reserved);
  }

  Result<CheckReport> run() {
    const uint64_t entries = image_.disk.bat_entries(), chunk = image_.disk.chunk_ratio() + 1;
    std::vector<std::byte> bytes;
    for (uint64_t first = 0; first < entries; first += read_at_once / bat_entry_size) {
      bytes.resize(std::min(read_at_once, (entries - first) * bat_entry_size));
      const uint64_t at = image_.regions.bat.at + first * bat_entry_size;
      if (auto read = file_.read_now(at, bytes); !read) return failure(read);
      for (uint64_t i = 0; i < bytes.size(); i += bat_entry_size) {
        const uint64_t index = first + i / bat_entry_size;
        const bool bitmap = index % chunk == chunk - 1;
        entry(load_le<uint64_t>(bytes, i), at + i, index - index / chunk, bitmap);
      }
    }
    return std::move(report_);
  }

 private:
  // A file needs no more for the largest disk. Of what lies beyond overlaps are not noticed.
  static constexpr uint64_t largest_size = 2 * max_disk_size;

  void wrong(uint64_t at, std::string what) { report_.add(Finding::Kind::corruption, at, std::move(what)); }

  // The entry of a block, or of the sector bitmap behind that block's chunk.
  void entry(uint64_t value, uint64_t at, uint64_t block, bool bitmap) {
    const BlockState state = state_of(value);
    const std::string name =
        bitmap ? fmt::format("the sector bitmap before block {}", block) : fmt::format("block {}", block);
    const bool partial = state == BlockState::partially_present;
    if (state == BlockState{4} || (bitmap && state != BlockState::not_present && state != BlockState::fully_present))
      return wrong(at, fmt::format("{} has the state {}, which means nothing", name, static_cast<int>(state)));
    if (partial && !image_.disk.has_parent)
      return wrong(at, fmt::format("{} is partially present in a disk without a parent", name));
    if (!partial && state != BlockState::fully_present) return;
    // Of the last block only what the disk has of it must be there.
    const uint64_t length =
        bitmap ? mebibyte
               : std::min<uint64_t>(image_.disk.block_size, image_.disk.size - block * image_.disk.block_size);
    const uint64_t host = value & offset_mask;
    if (host > size_ || length > size_ - host) return wrong(at, fmt::format("{} does not lie inside the file", name));
    if (!take({host, length})) wrong(at, fmt::format("{} overlaps something else", name));
  }

  // False: something of it is taken already.
  bool take(Range range) {
    bool free = true;
    const uint64_t end = std::min<uint64_t>(divide_up(range.end(), mebibyte), taken_.size());
    for (uint64_t i = range.at / mebibyte; i < end; ++i) {
      free = free && !taken_[i];
      taken_[i] = true;
    }
    return free;
  }

  const ImageMetadata& image_;
  BlockDevice& file_;
  const uint64_t size_;
  std::vector<bool> taken_;  // a MiB each
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check(const CheckRequest& request) {
  const auto image = read_metadata(*request.file);
  if (!image) return std::unexpected(image.error());
  return Check(*image, image->replayed ? static_cast<BlockDevice&>(*image->replayed) : *request.file).run();
}

}  // namespace disklathe::vhdx
