// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/parallels/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/endian.h"
#include "core/format/parallels/layout.h"

namespace disklathe::parallels {
namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(const Header& header, const OpenSource& source)
      : header_(header),
        file_(*source.file),
        file_size_(file_.size()),
        tables_(source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity)) {
    facts_.cluster_size = header.cluster_size();
    facts_.dirty = !header.closed;
    if (!header.closed) facts_.warnings.push_back("it was not closed properly, or is in use");
    if (header.flags & flag_empty) facts_.warnings.push_back("its header says that it is empty; its table is read");
    if (file_.name().ends_with(".hds")) {
      facts_.warnings.push_back("it is read by itself; whether the disk has more files its DiskDescriptor.xml tells");
    }
  }

  uint64_t size() const override { return header_.size(); }
  Result<void> map(Range want, std::vector<Extent>& out) override;
  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  // What an entry of the table says of a part of its cluster.
  Result<Extent> extent(uint32_t entry, uint64_t entry_at, Range guest) const;

  const Header header_;
  BlockDevice& file_;
  const uint64_t file_size_;
  const std::shared_ptr<TableCache> tables_;
  ImageFacts facts_;
  const std::vector<Reference> references_;
};

// One look: as many entries as one slice of the table has.
Result<void> Reader::map(Range want, std::vector<Extent>& out) {
  if (want.empty() || want.at >= size() || want.length > size() - want.at) {
    return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
  }
  const size_t first = out.size();
  const uint64_t cluster_size = header_.cluster_size();
  uint64_t cluster = want.at / cluster_size;
  const uint64_t last = (want.end() - 1) / cluster_size;
  uint64_t entry_at = Field::end + cluster * bat_entry_size;
  TableCache::Slice held;
  auto entries = tables_->look(file_, entry_at, (last + 1 - cluster) * bat_entry_size, held);
  if (!entries) return failure(entries);
  for (size_t i = 0; i + bat_entry_size <= entries->size(); i += bat_entry_size, ++cluster) {
    const Range guest = intersection({cluster * cluster_size, cluster_size}, want);
    auto said = extent(load_le<uint32_t>(*entries, i), entry_at + i, guest);
    if (!said) return failure(said);
    append_merged(out, first, *said);
  }
  return {};
}

Result<Extent> Reader::extent(uint32_t entry, uint64_t entry_at, Range guest) const {
  if (entry == 0) return Extent{.kind = Extent::Kind::hole, .guest = guest};
  const uint64_t cluster_size = header_.cluster_size(), begin = entry * header_.entry_sectors * sector_size;
  const auto corrupt = [&](std::string_view what) {
    return failure(ErrorKind::corrupt, "map", fmt::format("cluster {} {}", guest.at / cluster_size, what), entry_at);
  };
  if (begin < header_.bat_end()) return corrupt("overlaps the header or the block allocation table");
  // Of the last cluster no more is needed than the disk has.
  const uint64_t skip = guest.at % cluster_size;
  if (begin > file_size_ || skip + guest.length > file_size_ - begin) return corrupt("does not lie inside the file");
  return Extent{.kind = Extent::Kind::data, .guest = guest, .host = {begin + skip, guest.length}};
}

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  if (!source.snapshot.empty()) {
    return failure(ErrorKind::unsupported, "open",
                   "Parallels disks have no snapshots inside; each is a file of its own");
  }
  const auto header = read_header(*source.file);
  if (!header) return std::unexpected(header.error());
  return std::make_unique<Reader>(*header, source);
}

int probe(Bytes head, Bytes, uint64_t) {
  if (head.size() < Field::end) return 0;
  const std::string_view magic(reinterpret_cast<const char*>(head.data()), magic_sectors.size());
  if (magic != magic_sectors && magic != magic_clusters) return 0;
  // Other versions are not read, but are not to be taken for raw either.
  return load_le<uint32_t>(head, Field::version) == version ? 100 : 50;
}

}  // namespace disklathe::parallels
