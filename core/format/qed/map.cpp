// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qed/map.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"

namespace disklathe::qed {

Map::Map(const Header& header, BlockDevice& file, std::shared_ptr<TableCache> tables)
    : TwoLevelMap({.byte_order = std::endian::little,
                   .l1_at = header.l1_table_offset,
                   .cluster_size = header.cluster_size,
                   .l2_entries = header.table_bytes() / entry_size},
                  file, std::move(tables)),
      cluster_size_(header.cluster_size),
      table_bytes_(header.table_bytes()),
      header_bytes_(header.header_bytes()) {}

Result<uint64_t> Map::l2_table(uint64_t entry, uint64_t index) const {
  if (auto right = check_place(entry, table_bytes_, "L2 table", index); !right) return failure(right);
  return entry;
}

Result<Extent> Map::cluster(uint64_t entry, Range guest) const {
  if (entry == entry_zero) return Extent{.kind = Extent::Kind::zero, .guest = guest};
  if (auto right = check_place(entry, cluster_size_, "cluster", guest.at / cluster_size_); !right)
    return failure(right);
  return Extent{.kind = Extent::Kind::data, .guest = guest, .host = {entry + guest.at % cluster_size_, guest.length}};
}

Result<void> Map::check_place(uint64_t at, uint64_t length, std::string_view name, uint64_t number) const {
  const auto corrupt = [&](std::string_view what) {
    return failure(ErrorKind::corrupt, "map", fmt::format("{} {} {}", name, number, what));
  };
  if (!is_multiple(at, cluster_size_)) return corrupt("is not on a cluster boundary");
  if (at < header_bytes_) return corrupt("overlaps the header");
  if (at > file_size() || length > file_size() - at) return corrupt("does not lie inside the file");
  return {};
}

}  // namespace disklathe::qed
