// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vdi/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/endian.h"
#include "core/format/vdi/layout.h"

namespace disklathe::vdi {
namespace {

constexpr uint64_t read_at_once = 64 << 10;      // bytes of the block map
constexpr uint32_t blocks_at_once = 256u << 20;  // a bit for each: 32 MiB

class Check {
 public:
  Check(const Header& header, BlockDevice& file) : header_(header), file_(file), size_(file.size()) {}

  // Once for each window of stored blocks, so that memory stays bounded. Where the last one is, the first look tells.
  Result<CheckReport> run() {
    for (uint64_t first = 0; first == 0 || first <= last_stored_; first += blocks_at_once) {
      first_ = static_cast<uint32_t>(first);
      seen_.assign(std::min<uint64_t>(blocks_at_once, header_.blocks_in_image - first), false);
      if (auto walked = walk(); !walked) return failure(walked);
    }
    if (stored_ != header_.blocks_allocated) {
      report_.add(Finding::Kind::corruption, Field::blocks_allocated,
                  fmt::format("{} blocks are stored, the header says {}", stored_, header_.blocks_allocated));
    }
    return std::move(report_);
  }

 private:
  Result<void> walk() {
    std::vector<std::byte> bytes;
    const uint64_t map_size = header_.blocks_in_image * map_entry_size;
    for (uint64_t from = 0; from < map_size; from += read_at_once) {
      bytes.resize(std::min(read_at_once, map_size - from));
      if (auto read = file_.read_now(header_.offset_map + from, bytes); !read) return read;
      for (uint64_t i = 0; i < bytes.size(); i += map_entry_size) {
        entry(load_le<uint32_t>(bytes, i), header_.offset_map + from + i, (from + i) / map_entry_size);
      }
    }
    return {};
  }

  // There may be 2^30 of them, so most must be done with here.
  void entry(uint32_t entry, uint64_t at, uint64_t block) {
    const uint32_t index = entry - first_;
    if (index < seen_.size()) {
      stored(index, at, block);
    } else if (first_ == 0 && entry < header_.blocks_in_image) {
      last_stored_ = std::max(last_stored_, entry);
    } else if (first_ == 0 && entry < block_zero) {
      corrupt(at,
              [&] { return fmt::format("block {} is number {} of the file, which has none of that", block, entry); });
    }
  }

  // A block of the window.
  void stored(uint32_t index, uint64_t at, uint64_t block) {
    ++stored_;
    if (seen_[index]) corrupt(at, [&] { return fmt::format("block {} is where another one is already", block); });
    seen_[index] = true;
    const uint64_t begin = block * header_.block_size, host = header_.block_offset(first_ + index);
    if (begin >= header_.size() || host + header_.block_size <= size_) return;  // behind the end of the disk, or whole
    const uint64_t used = std::min<uint64_t>(header_.block_size, header_.size() - begin);
    if (host > size_ || used > size_ - host)
      corrupt(at, [&] { return fmt::format("block {} does not lie inside the file", block); });
  }

  void corrupt(uint64_t at, const auto& what) { report_.add(Finding::Kind::corruption, at, what); }

  const Header& header_;
  BlockDevice& file_;
  const uint64_t size_;
  uint32_t first_ = 0;        // block of the window that is looked at
  uint32_t last_stored_ = 0;  // the highest number of a stored block behind the first window
  std::vector<bool> seen_;
  uint64_t stored_ = 0;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check(const CheckRequest& request) {
  std::array<std::byte, sector_size> head;
  const size_t there = std::min<uint64_t>(head.size(), request.file->size());
  if (auto read = request.file->read_now(0, MutableBytes(head).first(there)); !read) return failure(read);
  const auto header = Header::parse(Bytes(head).first(there), request.file->size());
  if (!header) return std::unexpected(header.error());
  return Check(*header, *request.file).run();
}

}  // namespace disklathe::vdi
