// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/grain_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::vmdk {
namespace {

constexpr size_t max_extents = 1024;  // of one walk
constexpr size_t max_tables = 64, max_directory_entries = 4096;

// at: the offset of the entry, in the extent's file.
std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "map", std::move(cause), at);
}

}  // namespace

std::string lost_table(uint64_t number) { return fmt::format("grain table {} does not lie inside the file", number); }

std::string lost_grain(uint64_t guest_at) {
  return fmt::format("the grain at sector {} of the extent does not lie inside the file", guest_at / sector_size);
}

GrainMap::GrainMap(const SparseHeader& header, BlockDevice& file, uint16_t file_index,
                   std::shared_ptr<TableCache> tables)
    : header_(header), file_(file), file_size_(file.size()), file_index_(file_index), tables_(std::move(tables)) {}

bool GrainMap::has_table(uint64_t sector) const {
  const uint64_t at = sector * sector_size, bytes = header_.entries_per_table * table_entry_size;
  return at <= file_size_ && bytes <= file_size_ - at;
}

bool GrainMap::has_grain(uint64_t sector, uint64_t length) const {
  const uint64_t at = sector * sector_size;
  // How long a compressed one is, only its marker tells.
  return header_.compressed() ? at < file_size_ : at <= file_size_ && length <= file_size_ - at;
}

// Goes from at_ on; offsets are the extent's own.
class GrainMap::Walk {
 public:
  Walk(const GrainMap& map, uint64_t base, Range want, std::vector<Extent>& out)
      : map_(map),
        grain_size_(map.header_.grain_size()),
        table_span_(grain_size_ * map.header_.entries_per_table),
        base_(base),
        at_(want.at - base),
        end_(want.end() - base),
        out_(out),
        first_(out.size()) {}

  Result<void> run() {
    while (at_ < end_ && !full()) {
      const uint64_t index = at_ / table_span_;
      const uint64_t entry_at = map_.header_.directory_sector * sector_size + index * table_entry_size;
      auto entries = map_.tables_->look(map_.file_, entry_at, table_entry_size, directory_);
      if (!entries) return failure(entries);
      ++directory_entries_;
      const uint64_t stop = std::min(end_, (index + 1) * table_span_);
      const uint64_t sector = load_le<uint32_t>(*entries);
      if (sector == 0) {
        append(Extent::Kind::hole, stop - at_);
        continue;
      }
      if (!map_.has_table(sector)) return corrupt(entry_at, lost_table(index));
      if (auto done = grain_table(sector * sector_size, index * table_span_, stop); !done) return done;
    }
    return {};
  }

 private:
  bool full() const {
    return out_.size() - first_ >= max_extents || tables_ >= max_tables || directory_entries_ >= max_directory_entries;
  }

  // A grain table, whose first entry is of offset `base`, from at_ to `stop`.
  Result<void> grain_table(uint64_t table_at, uint64_t base, uint64_t stop) {
    ++tables_;
    while (at_ < stop && out_.size() - first_ < max_extents) {
      const uint64_t index = (at_ - base) / grain_size_;
      const uint64_t last = (stop - 1 - base) / grain_size_;
      const uint64_t entries_at = table_at + index * table_entry_size;
      auto entries = map_.tables_->look(map_.file_, entries_at, (last + 1 - index) * table_entry_size, held_);
      if (!entries) return failure(entries);
      // Tables begin on sectors, so a slice ends between two entries.
      for (size_t at = 0; at < entries->size() && out_.size() - first_ < max_extents; at += table_entry_size) {
        const uint64_t length = std::min(grain_size_ - at_ % grain_size_, stop - at_);
        if (auto done = grain(entries->subspan(at), length, entries_at + at); !done) return done;
      }
    }
    return {};
  }

  // What the first of these entries says from at_ on. entry_at: where it is in the file.
  Result<void> grain(Bytes entries, uint64_t length, uint64_t entry_at) {
    const uint64_t sector = load_le<uint32_t>(entries);
    if (sector == 0) return append(Extent::Kind::hole, length), Result<void>{};
    if (sector == entry_zero_grain && map_.header_.zero_grains()) {
      return append(Extent::Kind::zero, length), Result<void>{};
    }
    const uint64_t host = sector * sector_size, skip = at_ % grain_size_;
    if (!map_.has_grain(sector, skip + length)) return corrupt(entry_at, lost_grain(at_ - skip));
    if (map_.header_.compressed()) {
      const Range place{host, std::min(most_encoded(sector, entries), map_.file_size_ - host)};
      append_merged(out_, first_,
                    {.kind = Extent::Kind::compressed,
                     .guest = {base_ + at_, length},
                     .file = map_.file_index_,
                     .host = place,
                     .decoded_length = grain_size_,
                     .decoded_skip = skip});
    } else {
      append_merged(out_, first_,
                    {.kind = Extent::Kind::data,
                     .guest = {base_ + at_, length},
                     .file = map_.file_index_,
                     .host = {host + skip, length}});
    }
    at_ += length;
    return {};
  }

  // A grain's marker, which alone tells its length, is read with the grain. What is known of it before: it ends where
  // the next one begins, and where none is known, within two grains (QEMU's bound).
  uint64_t most_encoded(uint64_t sector, Bytes entries) const {
    const uint64_t most = 2 * grain_size_;
    for (size_t at = table_entry_size; at < entries.size(); at += table_entry_size) {
      const uint64_t next = load_le<uint32_t>(entries, at);
      if (next <= entry_zero_grain) continue;
      return next > sector ? std::min((next - sector) * sector_size, most) : most;
    }
    return most;
  }

  void append(Extent::Kind kind, uint64_t length) {
    append_merged(out_, first_, {.kind = kind, .guest = {base_ + at_, length}, .file = map_.file_index_});
    at_ += length;
  }

  const GrainMap& map_;
  const uint64_t grain_size_, table_span_, base_;
  uint64_t at_;
  const uint64_t end_;
  std::vector<Extent>& out_;
  const size_t first_;
  size_t tables_ = 0, directory_entries_ = 0;
  TableCache::Slice directory_, held_;
};

Result<void> GrainMap::walk(uint64_t base, Range want, std::vector<Extent>& out) const {
  return Walk(*this, base, want, out).run();
}

}  // namespace disklathe::vmdk
