// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::vhd {

Map::Map(const DynamicHeader& header, uint64_t disk_size, bool differencing, std::vector<Range> reserved,
         BlockDevice& file, std::shared_ptr<TableCache> tables)
    : bat_at_(header.table_offset),
      block_size_(header.block_size),
      bitmap_size_(header.bitmap_size()),
      disk_size_(disk_size),
      differencing_(differencing),
      reserved_(std::move(reserved)),
      file_(file),
      file_size_(file.size()),
      tables_(std::move(tables)) {}

// One call of walk(): goes from want.at on, block by block, and merges what continues.
class Map::Walk {
 public:
  Walk(const Map& map, Range want, std::vector<Extent>& out)
      : map_(map), at_(want.at), end_(want.end()), out_(out), first_(out.size()) {}

  Result<void> run() {
    while (at_ < end_ && !full()) {
      const uint64_t first = at_ / map_.block_size_, last = (end_ - 1) / map_.block_size_;
      auto entries = table(bat_, map_.bat_at_ + first * bat_entry_size, (last + 1 - first) * bat_entry_size);
      if (!entries) return failure(entries);
      for (size_t i = 0; i + bat_entry_size <= entries->size() && at_ < end_ && !full(); i += bat_entry_size) {
        const auto entry = load_be<uint32_t>(*entries, i);
        const uint64_t index = first + i / bat_entry_size;
        const uint64_t end = std::min(end_, (index + 1) * map_.block_size_);
        if (entry == unused_entry) {
          append(absent(), end - at_);
        } else if (auto done = block(index, entry, end); !done) {
          return done;
        }
      }
    }
    return {};
  }

 private:
  bool full() const { return out_.size() - first_ >= max_extents || slices_ >= max_slices; }
  Extent::Kind absent() const { return map_.differencing_ ? Extent::Kind::hole : Extent::Kind::zero; }

  // The bytes of a table from `at` on, as far as one slice has whole entries of them, at most `length`.
  Result<Bytes> table(TableCache::Slice& held, uint64_t at, uint64_t length) {
    ++slices_;
    return map_.tables_->look(map_.file_, at, length, held);
  }

  // A stored block, from at_ to `end`.
  Result<void> block(uint64_t index, uint32_t entry, uint64_t end) {
    const uint64_t base = index * map_.block_size_, bitmap_at = entry * sector_size;
    const uint64_t data_at = bitmap_at + map_.bitmap_size_;
    const uint64_t stored = std::min(map_.block_size_, round_up(map_.disk_size_ - base, sector_size));
    const auto corrupt = [&](std::string_view what) {
      return failure(ErrorKind::corrupt, "map", fmt::format("block {} {}", index, what),
                     map_.bat_at_ + index * bat_entry_size);
    };
    if (data_at > map_.file_size_ || stored > map_.file_size_ - data_at) return corrupt("does not lie inside the file");
    for (const Range& reserved : map_.reserved_)
      if (!intersection({bitmap_at, map_.bitmap_size_ + stored}, reserved).empty())
        return corrupt("overlaps a footer, the header or the block allocation table");
    while (at_ < end && !full()) {
      const uint64_t sector = (at_ - base) / sector_size, last = (end - 1 - base) / sector_size;
      auto bits = table(bitmap_, bitmap_at + sector / 8, last / 8 + 1 - sector / 8);
      if (!bits) return failure(bits);
      if (auto done = sectors(*bits, sector, base, data_at, end); !done) return done;
    }
    return {};
  }

  // bits: the bitmap from the byte of `sector` on, the most significant bit first.
  Result<void> sectors(Bytes bits, uint64_t sector, uint64_t base, uint64_t data_at, uint64_t end) {
    const uint64_t origin = round_down(sector, 8);  // the sector of bits[0]'s first bit
    const uint64_t known = origin + bits.size() * 8;
    const auto present = [&](uint64_t n) {
      return (std::to_integer<unsigned>(bits[(n - origin) / 8]) << (n % 8) & 0x80) != 0;
    };
    while (sector < known && at_ < end && !full()) {
      const bool here = present(sector);
      const std::byte whole{here ? uint8_t{0xff} : uint8_t{0}};
      while (sector < known && present(sector) == here)
        sector += sector % 8 == 0 && bits[(sector - origin) / 8] == whole ? 8 : 1;
      const uint64_t length = std::min(end, base + sector * sector_size) - at_;
      if (here)
        append(Extent::Kind::data, length, {data_at + (at_ - base), length});
      else
        append(absent(), length);
    }
    return {};
  }

  void append(Extent::Kind kind, uint64_t length, Range host = {}) {
    append_merged(out_, first_, {.kind = kind, .guest = {at_, length}, .host = host});
    at_ += length;
  }

  const Map& map_;
  uint64_t at_;  // how far the guest is mapped
  const uint64_t end_;
  std::vector<Extent>& out_;
  const size_t first_;  // what was in out_ before is not ours to extend
  size_t slices_ = 0;
  TableCache::Slice bat_, bitmap_;
};

Result<void> Map::walk(Range want, std::vector<Extent>& out) const { return Walk(*this, want, out).run(); }

}  // namespace disklathe::vhd
