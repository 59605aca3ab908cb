// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::vhdx {

Map::Map(const Disk& disk, uint64_t bat_at, std::vector<Range> reserved, BlockDevice& file, BlockDevice& metadata,
         const Patches* patches, std::shared_ptr<TableCache> tables)
    : disk_(disk),
      bat_at_(bat_at),
      reserved_(std::move(reserved)),
      file_size_(file.size()),
      replayed_size_(metadata.size()),
      metadata_(metadata),
      patches_(patches),
      tables_(std::move(tables)) {}

std::string_view Map::misplaced(uint64_t host, uint64_t length) const {
  if (host > replayed_size_ || length > replayed_size_ - host) return "does not lie inside the file";
  for (const Range& reserved : reserved_)
    if (!intersection({host, length}, reserved).empty()) return "overlaps the header, the log or a region";
  return {};
}

// One call of walk(): goes from want.at on, block by block, and merges what continues.
class Map::Walk {
 public:
  Walk(const Map& map, Range want, std::vector<Extent>& out)
      : map_(map), at_(want.at), end_(want.end()), out_(out), first_(out.size()) {}

  Result<void> run() {
    const uint64_t block_size = map_.disk_.block_size;
    while (at_ < end_ && !full()) {
      const uint64_t index = at_ / block_size, entry_at = bat_entry_at(map_.disk_.bat_index(index));
      auto entry = load_entry(entry_at);
      if (!entry) return failure(entry);
      if (auto done = block(index, *entry, entry_at, std::min(end_, (index + 1) * block_size)); !done) return done;
    }
    return {};
  }

 private:
  bool full() const { return out_.size() - first_ >= max_extents || slices_ >= max_slices; }
  uint64_t bat_entry_at(uint64_t entry) const { return map_.bat_at_ + entry * bat_entry_size; }

  static std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
    return failure(ErrorKind::corrupt, "map", std::move(cause), at);
  }

  Result<void> hold(TableCache::Slice& held, uint64_t at) {
    auto slice = map_.tables_->slice(map_.metadata_, at);
    if (!slice) return failure(slice);
    held = std::move(*slice);
    ++slices_;
    return {};
  }

  Result<uint64_t> load_entry(uint64_t at) {
    const uint64_t from = round_down(at, TableCache::slice_size);
    if (!bat_ || from != bat_from_) {
      if (auto held = hold(bat_, at); !held) return failure(held);
      bat_from_ = from;
    }
    return load_le<uint64_t>(*bat_, at - from);
  }

  // The block's bytes from at_ to `end`.
  Result<void> block(uint64_t index, uint64_t entry, uint64_t entry_at, uint64_t end) {
    const uint64_t base = index * map_.disk_.block_size, host = entry & offset_mask;
    const uint64_t stored = std::min<uint64_t>(map_.disk_.block_size, map_.disk_.size - base);
    switch (state_of(entry)) {
      case BlockState::not_present:
        append(map_.disk_.has_parent ? Extent::Kind::hole : Extent::Kind::zero, end - at_);
        return {};
      case BlockState::undefined:
      case BlockState::zero:
      case BlockState::unmapped:
      case BlockState::unmapped_0_95: append(Extent::Kind::zero, end - at_); return {};
      case BlockState::fully_present:
      case BlockState::partially_present: break;
      default:
        return corrupt(entry_at, fmt::format("block {} has the state {}, which means nothing", index,
                                             static_cast<int>(state_of(entry))));
    }
    if (const auto wrong = map_.misplaced(host, stored); !wrong.empty())
      return corrupt(entry_at, fmt::format("block {} {}", index, wrong));
    if (state_of(entry) == BlockState::fully_present) {
      data(host + (at_ - base), end - at_);
      return {};
    }
    if (!map_.disk_.has_parent)
      return corrupt(entry_at, fmt::format("block {} is partially present in a disk without a parent", index));
    return partial(index, base, host, end);
  }

  Result<void> partial(uint64_t index, uint64_t base, uint64_t host, uint64_t end) {
    const uint64_t bitmap_entry_at = bat_entry_at(map_.disk_.bitmap_bat_index(index));
    const auto entry = load_entry(bitmap_entry_at);
    if (!entry) return std::unexpected(entry.error());
    const uint64_t bitmap_at = *entry & offset_mask;
    if (state_of(*entry) != BlockState::fully_present)
      return corrupt(bitmap_entry_at, fmt::format("block {} is partially present and has no sector bitmap", index));
    if (const auto wrong = map_.misplaced(bitmap_at, mebibyte); !wrong.empty())
      return corrupt(bitmap_entry_at, fmt::format("the sector bitmap of block {} {}", index, wrong));
    const uint64_t sector_size = map_.disk_.logical_sector_size;
    while (at_ < end && !full()) {
      const uint64_t sector = at_ / sector_size % bitmap_sectors;  // in its bitmap
      const uint64_t byte_at = bitmap_at + sector / 8;
      if (auto held = hold(bitmap_, byte_at); !held) return held;
      const Bytes bits = Bytes(*bitmap_).subspan(byte_at % TableCache::slice_size);
      sectors(bits, sector % 8, base, host, end);
    }
    return {};
  }

  // bits: the bitmap from the byte of at_'s sector on, the least significant bit first; that sector's is number `bit`.
  void sectors(Bytes bits, uint64_t bit, uint64_t base, uint64_t host, uint64_t end) {
    const uint64_t sector_size = map_.disk_.logical_sector_size, known = bits.size() * 8;
    const auto present = [&](uint64_t n) { return (std::to_integer<unsigned>(bits[n / 8]) >> (n % 8) & 1) != 0; };
    while (bit < known && at_ < end && !full()) {
      const bool here = present(bit);
      const std::byte whole{here ? uint8_t{0xff} : uint8_t{0}};
      uint64_t run_end = round_down(at_, sector_size);
      while (bit < known && run_end < end && present(bit) == here) {
        const uint64_t step = bit % 8 == 0 && bits[bit / 8] == whole ? 8 : 1;
        bit += step;
        run_end += step * sector_size;
      }
      const uint64_t length = std::min(end, run_end) - at_;
      if (here)
        data(host + (at_ - base), length);
      else
        append(Extent::Kind::hole, length);
    }
  }

  // Bytes that lie in the file, unless its log has others for them.
  void data(uint64_t host, uint64_t length) {
    for (const uint64_t end = at_ + length; at_ < end && !full();) {
      uint64_t part = end - at_;
      std::optional<uint64_t> from = host;
      if (map_.patches_) {
        const Patches::Piece piece = map_.patches_->piece(host);
        part = std::min(part, piece.length);
        from = piece.from;
      }
      // What the log made the file grow by is not there yet, and reads as zeroes.
      if (from && *from < map_.file_size_) {
        part = std::min(part, map_.file_size_ - *from);
        append(Extent::Kind::data, part, {*from, part});
      } else {
        append(Extent::Kind::zero, part);
      }
      host += part;
    }
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
  uint64_t bat_from_ = 0;
  TableCache::Slice bat_, bitmap_;
};

Result<void> Map::walk(Range want, std::vector<Extent>& out) const { return Walk(*this, want, out).run(); }

}  // namespace disklathe::vhdx
