// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow/map.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/arithmetic.h"

namespace disklathe::qcow {
namespace {

std::unexpected<Error> corrupt(std::string cause) { return failure(ErrorKind::corrupt, "map", std::move(cause)); }

}  // namespace

Map::Map(const Header& header, BlockDevice& file, std::shared_ptr<TableCache> tables)
    : TwoLevelMap({.byte_order = std::endian::big,
                   .l1_at = header.l1_table_offset,
                   .cluster_size = header.cluster_size(),
                   .l2_entries = header.l2_entries()},
                  file, std::move(tables)),
      cluster_bits_(header.cluster_bits),
      cluster_size_(header.cluster_size()),
      l2_size_(header.l2_entries() * entry_size),
      encrypted_(header.crypt_method != CryptMethod::none) {}

Result<uint64_t> Map::l2_table(uint64_t entry, uint64_t index) const {
  if (!is_multiple(entry, sector_size)) return corrupt(fmt::format("L2 table {} is not on a sector boundary", index));
  if (entry > file_size() || l2_size_ > file_size() - entry) {
    return corrupt(fmt::format("L2 table {} does not lie inside the file", index));
  }
  return entry;
}

Result<Extent> Map::cluster(uint64_t entry, Range guest) const {
  const uint64_t number = guest.at >> cluster_bits_, skip = guest.at & (cluster_size_ - 1);
  if (entry & entry_compressed) {
    const uint32_t offset_bits = 63 - cluster_bits_;
    const Range host{entry & ((uint64_t{1} << offset_bits) - 1), entry >> offset_bits & (cluster_size_ - 1)};
    if (host.empty()) return corrupt(fmt::format("cluster {} is compressed into no bytes", number));
    if (host.at < Field::end) return corrupt(fmt::format("cluster {} overlaps the header", number));
    if (host.at > file_size() || host.length > file_size() - host.at) {
      return corrupt(fmt::format("cluster {} does not lie inside the file", number));
    }
    return Extent{.kind = encrypted_ ? Extent::Kind::encrypted : Extent::Kind::compressed,
                  .guest = guest,
                  .host = host,
                  .decoded_length = cluster_size_,
                  .decoded_skip = skip};
  }
  if (!is_multiple(entry, sector_size)) return corrupt(fmt::format("cluster {} is not on a sector boundary", number));
  // Of the last cluster no more is needed than the disk has.
  if (entry > file_size() || skip + guest.length > file_size() - entry) {
    return corrupt(fmt::format("cluster {} does not lie inside the file", number));
  }
  return Extent{.kind = encrypted_ ? Extent::Kind::encrypted : Extent::Kind::data,
                .guest = guest,
                .host = {entry + skip, guest.length}};
}

}  // namespace disklathe::qcow
