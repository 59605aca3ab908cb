// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/two_level_map.h"

#include <algorithm>
#include <utility>

#include "core/base/endian.h"
#include "core/format/table_entries.h"

namespace disklathe {

TwoLevelMap::TwoLevelMap(const Shape& shape, BlockDevice& file, std::shared_ptr<TableCache> tables)
    : shape_(shape),
      l1_span_(shape.cluster_size * shape.l2_entries),
      file_(file),
      file_size_(file.size()),
      tables_(std::move(tables)) {}

// One call of walk(): goes from want.at on, entry by entry, and merges what continues.
class TwoLevelMap::Walk {
 public:
  Walk(const TwoLevelMap& map, Range want, std::vector<Extent>& out)
      : map_(map), at_(want.at), end_(want.end()), out_(out), first_(out.size()) {}

  Result<void> run() {
    while (at_ < end_ && !full()) {
      const uint64_t span = map_.l1_span_, index = at_ / span;
      const uint64_t entry_at = map_.shape_.l1_at + index * entry_size;
      auto entries = look(entry_at, (end_ - 1) / span + 1 - index, l1_slice_);
      if (!entries) return failure(entries);
      if (const uint64_t empty = leading_empty(*entries, entry_size)) {
        hole_until((index + empty) * span);
        continue;
      }
      auto table_at = map_.l2_table(load(*entries), index);
      if (!table_at) return failure_at(std::move(table_at.error()), entry_at);
      if (auto done = l2_table(*table_at, index * span, std::min(end_, (index + 1) * span)); !done) return done;
    }
    return {};
  }

 private:
  bool full() const { return out_.size() - first_ >= max_extents || looks_ >= max_looks; }

  // `count` entries of a table from that offset on, or as many of them as one slice has.
  Result<Bytes> look(uint64_t at, uint64_t count, TableCache::Slice& held) {
    ++looks_;
    return map_.tables_->look(map_.file_, at, count * entry_size, held);
  }

  uint64_t load(Bytes entries) const {
    return map_.shape_.byte_order == std::endian::big ? load_be<uint64_t>(entries) : load_le<uint64_t>(entries);
  }

  // An L2 table, whose first entry maps guest offset `base`, from at_ to `end`.
  Result<void> l2_table(uint64_t table_at, uint64_t base, uint64_t end) {
    const uint64_t cluster_size = map_.shape_.cluster_size;
    while (at_ < end && !full()) {
      const uint64_t index = (at_ - base) / cluster_size;
      const uint64_t entries_at = table_at + index * entry_size;
      auto entries = look(entries_at, (end - 1 - base) / cluster_size + 1 - index, l2_slice_);
      if (!entries) return failure(entries);
      for (uint64_t i = 0; i < entries->size() / entry_size && out_.size() - first_ < max_extents;) {
        const Bytes rest = entries->subspan(i * entry_size);
        if (const uint64_t empty = leading_empty(rest, entry_size)) {
          i += empty;
          hole_until(std::min(end, base + (index + i) * cluster_size));
          continue;
        }
        const uint64_t cluster_end = std::min(end, base + (index + i + 1) * cluster_size);
        auto extent = map_.cluster(load(rest), Range::between(at_, cluster_end));
        if (!extent) return failure_at(std::move(extent.error()), entries_at + i * entry_size);
        append(*extent);
        ++i;
      }
    }
    return {};
  }

  static std::unexpected<Error> failure_at(Error error, uint64_t entry_at) {
    error.offset = entry_at;
    return failure(std::move(error));
  }

  void hole_until(uint64_t end) {
    append({.kind = Extent::Kind::hole, .guest = Range::between(at_, std::min(end, end_))});
  }

  void append(const Extent& extent) {
    at_ = extent.guest.end();
    append_merged(out_, first_, extent);
  }

  const TwoLevelMap& map_;
  uint64_t at_;  // how far the guest is mapped
  const uint64_t end_;
  std::vector<Extent>& out_;
  const size_t first_;  // what was in out_ before is not ours to extend
  size_t looks_ = 0;
  TableCache::Slice l1_slice_, l2_slice_;
};

Result<void> TwoLevelMap::walk(Range want, std::vector<Extent>& out) const { return Walk(*this, want, out).run(); }

}  // namespace disklathe
