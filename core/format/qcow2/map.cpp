// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/table_entries.h"

namespace disklathe::qcow2 {

namespace {

// at: the offset of the entry, in the image file.
std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "map", std::move(cause), at);
}

}  // namespace

Map::Map(const Header& header, const L1Table& l1, const BlockDevice& file, const BlockDevice* data_file,
         std::shared_ptr<Tables> tables)
    : version_(header.version),
      cluster_bits_(header.cluster_bits),
      cluster_size_(header.cluster_size()),
      entry_size_(l2_entry_size(header.extended_l2())),
      l1_span_(header.l1_entry_span()),
      extended_(header.extended_l2()),
      encrypted_(header.crypt_method != CryptMethod::none),
      has_data_file_(header.has_data_file()),
      l1_(l1),
      file_(file),
      data_(data_file ? *data_file : file),
      tables_(std::move(tables)) {}

// One call of walk(): goes from want.at on, entry by entry, and merges what continues.
class Map::Walk {
 public:
  Walk(const Map& map, Range want, std::vector<Extent>& out)
      : map_(map), at_(want.at), end_(want.end()), out_(out), first_(out.size()) {}

  Result<void> run() {
    while (at_ < end_ && !full()) {
      const uint64_t index = at_ / map_.l1_span_;
      const uint64_t entry_at = map_.l1_.offset + index * l1_entry_size;
      const uint64_t needed = (end_ - 1) / map_.l1_span_ + 1 - index;
      auto entries = table(l1_part_, entry_at, needed * l1_entry_size);
      if (!entries) return failure(entries);
      if (const uint64_t empty = leading_empty(*entries, l1_entry_size)) {
        hole_until((index + empty) * map_.l1_span_);
        continue;
      }
      const auto entry = load_be<uint64_t>(*entries);
      const uint64_t next = (index + 1) * map_.l1_span_;
      if (entry & l1_reserved) return corrupt(entry_at, fmt::format("L1 entry {} has reserved bits set", index));
      const uint64_t l2_at = entry & entry_offset;
      if (l2_at == 0) {
        hole_until(next);
        continue;
      }
      if (!is_multiple(l2_at, map_.cluster_size_)) {
        return corrupt(entry_at, fmt::format("L2 table {} is not on a cluster boundary", index));
      }
      if (l2_at > map_.file_.size() || map_.cluster_size_ > map_.file_.size() - l2_at) {
        return corrupt(entry_at, fmt::format("L2 table {} does not lie inside the file", index));
      }
      if (auto done = l2_table(l2_at, index * map_.l1_span_, std::min(end_, next)); !done) return done;
    }
    return {};
  }

 private:
  bool full() const { return out_.size() - first_ >= max_extents || l2_slices_ >= max_l2_slices; }

  // The bytes of a table from `at` on, as far as they are at hand, at most `length`.
  Result<Bytes> table(Tables::Part& held, uint64_t at, uint64_t length) {
    auto part = map_.tables_->from(at);
    if (!part) return failure(part);
    held = std::move(*part);
    return held.bytes.first(std::min<uint64_t>(held.bytes.size(), length));
  }

  // An L2 table, whose first entry maps guest offset `base`, from at_ to `end`.
  Result<void> l2_table(uint64_t table_at, uint64_t base, uint64_t end) {
    while (at_ < end && !full()) {
      const uint64_t index = (at_ - base) >> map_.cluster_bits_;
      const uint64_t last = (end - 1 - base) >> map_.cluster_bits_;
      const uint64_t entries_at = table_at + index * map_.entry_size_;
      auto entries = table(l2_part_, entries_at, (last + 1 - index) * map_.entry_size_);
      if (!entries) return failure(entries);
      ++l2_slices_;
      for (size_t at = 0; at < entries->size() && out_.size() - first_ < max_extents;) {
        const Bytes rest = entries->subspan(at);
        if (const uint64_t empty = leading_empty(rest, map_.entry_size_)) {
          at += empty * map_.entry_size_;
          hole_until(std::min(end, base + ((index + at / map_.entry_size_) << map_.cluster_bits_)));
          continue;
        }
        const uint64_t bitmap = map_.extended_ ? load_be<uint64_t>(rest, 8) : 0;
        if (auto done = cluster(load_be<uint64_t>(rest), bitmap, entries_at + at); !done) return done;
        at += map_.entry_size_;
      }
    }
    return {};
  }

  // One entry that is not all zero: what it says from at_ to the end of its cluster.
  Result<void> cluster(uint64_t entry, uint64_t bitmap, uint64_t entry_at) {
    const uint64_t skip = at_ & (map_.cluster_size_ - 1);
    const uint64_t length = std::min(map_.cluster_size_ - skip, end_ - at_);
    if (entry & entry_compressed) return compressed(entry, skip, length, entry_at);

    if (entry & l2_standard_reserved) return corrupt(entry_at, "an L2 entry has reserved bits set");
    const uint64_t host = entry & entry_offset;
    if (!is_multiple(host, map_.cluster_size_)) return corrupt(entry_at, "a cluster is not on a cluster boundary");
    // Only in a data file can there be a cluster at 0; the bit says whether there is.
    const bool stored = host != 0 || (map_.has_data_file_ && (entry & entry_copied));
    if (!stored && (entry & entry_copied)) return corrupt(entry_at, "a cluster overlaps the header");
    if (stored && map_.has_data_file_ && host != at_ - skip) {
      return corrupt(entry_at, "a cluster's offset in the data file is not its guest offset");
    }
    if (map_.extended_) return subclusters(entry, bitmap, stored, host, skip, length, entry_at);
    if (!(entry & entry_zero))
      return stored ? data(host, skip, length, entry_at) : (hole_until(at_ + length), Result<void>{});
    if (map_.version_ < 3) return corrupt(entry_at, "a zero cluster in a version 2 image");
    // QEMU's map tells no place for a zero cluster at 0.
    reserved(Extent::Kind::zero, host != 0, host + skip, length);
    return {};
  }

  // Bitmap: bit x says that subcluster x is allocated, bit 32 + x that it reads as zeroes.
  Result<void> subclusters(uint64_t entry, uint64_t bitmap, bool stored, uint64_t host, uint64_t skip, uint64_t length,
                           uint64_t entry_at) {
    const auto allocated = static_cast<uint32_t>(bitmap), zeroes = static_cast<uint32_t>(bitmap >> 32);
    if (entry & entry_zero) return corrupt(entry_at, "an extended L2 entry has reserved bits set");
    if (allocated & zeroes) return corrupt(entry_at, "a subcluster is both allocated and zero");
    if (allocated && !stored) return corrupt(entry_at, "a subcluster is allocated without a cluster");
    const uint64_t subcluster_size = map_.cluster_size_ / subclusters_per_cluster;
    for (const uint64_t end = skip + length; skip < end;) {
      const uint64_t index = skip / subcluster_size;
      const uint32_t here = allocated >> index, zero_here = zeroes >> index;
      // The run of subclusters that say the same as this one.
      const uint32_t other = here & 1 ? ~here : zero_here & 1 ? ~zero_here : here | zero_here;
      const uint64_t run =
          std::min<uint64_t>(subclusters_per_cluster - index, static_cast<uint64_t>(std::countr_zero(other)));
      const uint64_t piece = std::min(end, (index + run) * subcluster_size) - skip;
      if (here & 1) {
        if (auto done = data(host, skip, piece, entry_at); !done) return done;
      } else if (zero_here & 1) {
        reserved(Extent::Kind::zero, stored, host + skip, piece);
      } else {
        reserved(Extent::Kind::hole, stored, host + skip, piece);
      }
      skip += piece;
    }
    return {};
  }

  Result<void> compressed(uint64_t entry, uint64_t skip, uint64_t length, uint64_t entry_at) {
    if (map_.has_data_file_) return corrupt(entry_at, "a compressed cluster in an image with a data file");
    const uint32_t offset_bits = compressed_offset_bits(map_.cluster_bits_);
    const uint64_t descriptor = entry & ~(entry_copied | entry_compressed);
    const uint64_t host = descriptor & ((uint64_t{1} << offset_bits) - 1);
    const uint64_t sectors = (descriptor >> offset_bits) + 1;
    if (host >> 56) return corrupt(entry_at, "a compressed cluster's offset has reserved bits set");
    if (host < map_.cluster_size_) return corrupt(entry_at, "a compressed cluster overlaps the header");
    if (host >= map_.file_.size()) return corrupt(entry_at, "a compressed cluster does not lie inside the file");
    // The last sector of the last one is often cut off by the end of the file.
    const uint64_t host_end = std::min(round_down(host, sector_size) + sectors * sector_size, map_.file_.size());
    append({.kind = map_.encrypted_ ? Extent::Kind::encrypted : Extent::Kind::compressed,
            .guest = {at_, length},
            .file = 0,
            .host = Range::between(host, host_end),
            .decoded_length = map_.cluster_size_,
            .decoded_skip = skip});
    return {};
  }

  // Bytes [skip, skip + length) of the cluster at `host`. What the end of the file cuts off from its last cluster reads
  // as zeroes; a cluster that begins behind the end was lost.
  Result<void> data(uint64_t host, uint64_t skip, uint64_t length, uint64_t entry_at) {
    if (host >= map_.data_.size()) return corrupt(entry_at, "a cluster does not lie inside the file");
    const uint64_t present = std::min(length, Range::between(host + skip, map_.data_.size()).length);
    if (present) {
      append({.kind = map_.encrypted_ ? Extent::Kind::encrypted : Extent::Kind::data,
              .guest = {at_, present},
              .file = data_file(),
              .host = {host + skip, present}});
    }
    if (present < length) append({.kind = Extent::Kind::zero, .guest = {at_, length - present}});
    return {};
  }

  // Bytes that are not read, whether they have a place or not.
  void reserved(Extent::Kind kind, bool stored, uint64_t host, uint64_t length) {
    append({.kind = kind,
            .guest = {at_, length},
            .file = stored ? data_file() : uint16_t{0},
            .host = stored ? Range{host, length} : Range{}});
  }

  void hole_until(uint64_t end) {
    append({.kind = Extent::Kind::hole, .guest = Range::between(at_, std::min(end, end_))});
  }

  void append(const Extent& extent) {
    at_ = extent.guest.end();
    append_merged(out_, first_, extent);
  }

  uint16_t data_file() const { return map_.has_data_file_ ? 1 : 0; }

  const Map& map_;
  uint64_t at_;  // how far the guest is mapped
  const uint64_t end_;
  std::vector<Extent>& out_;
  const size_t first_;  // what was in out_ before is not ours to extend
  size_t l2_slices_ = 0;
  Tables::Part l1_part_, l2_part_;
};

Result<void> Map::walk(Range want, std::vector<Extent>& out) const { return Walk(*this, want, out).run(); }

}  // namespace disklathe::qcow2
