// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/bitmap_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t most_granularity = uint64_t{1} << 31;  // as QEMU takes
constexpr uint64_t all_ones = 1;                          // of an entry without data: bit 0
constexpr uint64_t reserved = ~(entry_offset | all_ones);

void append(std::vector<BitmapRun>& out, size_t first, Range guest, bool set) {
  if (out.size() > first && out.back().set == set)
    out.back().guest.length += guest.length;
  else
    out.push_back({guest, set});
}

}  // namespace

BitmapMap::BitmapMap(const Header& header, const Bitmap& bitmap, const BlockDevice& file,
                     std::shared_ptr<Tables> tables)
    : cluster_size_(header.cluster_size()),
      granularity_(bitmap.granularity),
      span_(cluster_size_ * 8 * granularity_),
      table_offset_(bitmap.table_offset),
      file_(&file),
      tables_(std::move(tables)) {}

Result<BitmapMap> BitmapMap::create(const Header& header, const Bitmap& bitmap, const BlockDevice& file,
                                    std::shared_ptr<Tables> tables) {
  const auto broken = [&](ErrorKind kind, std::string_view what) {
    return failure(kind, "open", fmt::format("bitmap '{}': {}", bitmap.name, what), bitmap.table_offset);
  };
  if (bitmap.granularity > most_granularity) return broken(ErrorKind::unsupported, "its granularity is above 2 GiB");
  const BitmapMap map(header, bitmap, file, std::move(tables));
  const uint64_t bytes = uint64_t{bitmap.table_entries} * 8;
  if (bitmap.table_entries != divide_up(header.size, map.span_))
    return broken(ErrorKind::corrupt, "its table is not as long as the disk asks for");
  if (!is_multiple(map.table_offset_, map.cluster_size_) || map.table_offset_ < map.cluster_size_ ||
      map.table_offset_ > file.size() || bytes > file.size() - map.table_offset_)
    return broken(ErrorKind::corrupt, "its table does not lie on clusters inside the file");
  return map;
}

Result<void> BitmapMap::walk(Range want, std::vector<BitmapRun>& out) const {
  const size_t first = out.size();
  uint64_t at = want.at;
  for (size_t clusters = 0; at < want.end() && clusters < max_clusters && out.size() - first < max_runs;) {
    const uint64_t entry_at = table_offset_ + at / span_ * 8;
    const auto part = tables_->from(entry_at);
    if (!part) return std::unexpected(part.error());
    const auto entry = load_be<uint64_t>(part->bytes);
    const uint64_t data = entry & entry_offset;
    if ((entry & reserved) || (data && (entry & all_ones)) || !is_multiple(data, cluster_size_))
      return failure(ErrorKind::corrupt, "map", "a bitmap table's entry contradicts itself", entry_at);
    if (data > file_->size() || (data && cluster_size_ > file_->size() - data))
      return failure(ErrorKind::corrupt, "map", "a cluster of bitmap data does not lie inside the file", entry_at);
    const uint64_t end = std::min(want.end(), (at / span_ + 1) * span_);
    if (data == 0) {
      append(out, first, Range::between(at, end), (entry & all_ones) != 0);
      at = end;
      continue;
    }
    ++clusters;
    if (auto walked = walk_cluster(data, at, end, first, out); !walked) return walked;
  }
  return {};
}

// The bits of one cluster of bitmap data, the least significant first, for guest bytes up to `end`.
Result<void> BitmapMap::walk_cluster(uint64_t data, uint64_t& at, uint64_t end, size_t first,
                                     std::vector<BitmapRun>& out) const {
  while (at < end && out.size() - first < max_runs) {
    const uint64_t bit = at % span_ / granularity_;
    const auto part = tables_->from(data + bit / 8);
    if (!part) return std::unexpected(part.error());
    const uint64_t bits = std::min<uint64_t>(part->bytes.size(), cluster_size_ - bit / 8) * 8 - bit % 8;
    for (uint64_t i = 0; i < bits && at < end && out.size() - first < max_runs; ++i) {
      const uint64_t index = bit % 8 + i;
      const bool set = (std::to_integer<uint8_t>(part->bytes[index / 8]) >> (index % 8) & 1) != 0;
      const uint64_t next = std::min(end, round_down(at, granularity_) + granularity_);
      append(out, first, Range::between(at, next), set);
      at = next;
    }
  }
  return {};
}

}  // namespace disklathe::qcow2
