// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vdi/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/vdi/layout.h"

namespace disklathe::vdi {
namespace {

constexpr size_t own_cache_capacity = 1 << 20;  // bytes, of a reader that shares no cache

class Reader final : public ImageReader {
 public:
  Reader(const Header& header, const OpenSource& source)
      : header_(header),
        file_(*source.file),
        file_size_(file_.size()),
        tables_(source.tables ? source.tables : std::make_shared<TableCache>(own_cache_capacity)) {
    facts_.cluster_size = header.block_size;
  }

  uint64_t size() const override { return header_.size(); }
  Result<void> map(Range want, std::vector<Extent>& out) override;
  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return references_; }

 private:
  // What an entry of the block map says of a part of its block.
  Result<Extent> extent(uint32_t entry, uint64_t entry_at, Range guest) const;

  const Header header_;
  BlockDevice& file_;
  const uint64_t file_size_;
  const std::shared_ptr<TableCache> tables_;
  ImageFacts facts_;
  const std::vector<Reference> references_;
};

// How many of the entries, from the first on, are of blocks that are not stored: of a large empty disk all.
uint64_t count_not_stored(Bytes entries) {
  uint64_t count = 0;
  while (count * map_entry_size < entries.size() && load_le<uint32_t>(entries, count * map_entry_size) >= block_zero)
    ++count;
  return count;
}

// One look: as many entries as one slice of the block map has.
Result<void> Reader::map(Range want, std::vector<Extent>& out) {
  if (want.empty() || want.at >= size() || want.length > size() - want.at) {
    return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
  }
  const size_t first = out.size();
  uint64_t block = want.at / header_.block_size;
  const uint64_t blocks = (want.end() - 1) / header_.block_size + 1 - block;
  uint64_t entry_at = header_.offset_map + block * map_entry_size;
  TableCache::Slice held;
  const auto looked = tables_->look(file_, entry_at, blocks * map_entry_size, held);
  if (!looked) return std::unexpected(looked.error());
  for (Bytes entries = *looked; !entries.empty();) {
    const uint64_t count = std::max<uint64_t>(count_not_stored(entries), 1);
    const Range guest = intersection({block * header_.block_size, count * header_.block_size}, want);
    const auto said = extent(load_le<uint32_t>(entries), entry_at, guest);
    if (!said) return std::unexpected(said.error());
    append_merged(out, first, *said);
    block += count;
    entry_at += count * map_entry_size;
    entries = entries.subspan(count * map_entry_size);
  }
  return {};
}

Result<Extent> Reader::extent(uint32_t entry, uint64_t entry_at, Range guest) const {
  if (entry >= block_zero) return Extent{.kind = Extent::Kind::zero, .guest = guest};
  const uint64_t host = header_.block_offset(entry) + guest.at % header_.block_size;
  if (host > file_size_ || guest.length > file_size_ - host) {
    return failure(ErrorKind::corrupt, "map",
                   fmt::format("block {} is said to be number {} of the file, which ends before it",
                               guest.at / header_.block_size, entry),
                   entry_at);
  }
  return Extent{.kind = Extent::Kind::data, .guest = guest, .host = {host, guest.length}};
}

}  // namespace

Result<std::unique_ptr<ImageReader>> open(const OpenSource& source) {
  std::vector<std::byte> head(std::min(source.file->size(), sector_size));
  if (auto read = source.file->read_now(0, head); !read) return failure(read);
  const auto header = Header::parse(head, source.file->size());
  if (!header) return std::unexpected(header.error());
  if (!source.snapshot.empty()) {
    return failure(ErrorKind::unsupported, "open", "VDI images have no snapshots inside");
  }
  return std::make_unique<Reader>(*header, source);
}

int probe(Bytes head, Bytes, uint64_t) {
  return head.size() >= Field::end && load_le<uint32_t>(head, Field::signature) == signature ? 100 : 0;
}

}  // namespace disklathe::vdi
