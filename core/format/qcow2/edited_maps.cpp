// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/edited_maps.h"

#include <fmt/format.h>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/preallocate.h"

namespace disklathe::qcow2 {

EditedMaps::EditedMaps(BlockDevice& file, EditedTables& tables, EditedRefcounts& refcounts, Occupied& occupied,
                       const Header& header)
    : file_(file), tables_(tables), refcounts_(refcounts), occupied_(occupied), header_(header) {}

Result<EditedMaps::Table> EditedMaps::table(uint64_t guest) {
  const uint64_t index = guest / span(), at = header_.l1_table_offset + index * l1_entry_size;
  const auto entry = tables_.load(at);
  if (!entry) return std::unexpected(entry.error());
  const uint64_t host = *entry & entry_offset;
  const bool fits = host <= file_.size() && header_.cluster_size() <= file_.size() - host;
  if ((*entry & l1_reserved) || !is_multiple(host, header_.cluster_size()) || (host && !fits))
    return failure(ErrorKind::corrupt, "map",
                   fmt::format("L2 table {} does not lie on a cluster inside the file", index), at);
  return Table{.host = host, .own = host != 0 && (*entry & entry_copied) != 0};
}

// What is in the new table is in the file before anything can refer to it: zeroes, or what the former one says, which
// nobody changes. So L1 and L2 may then be written in any order.
Result<EditedMaps::Table> EditedMaps::own_table(uint64_t guest, std::vector<uint64_t>& dropped) {
  const auto former = table(guest);
  if (!former || former->own) return former;
  const auto taken = refcounts_.allocate(1);
  if (!taken) return std::unexpected(taken.error());
  const Range host = taken->host;
  tables_.forget(host);
  if (former->host == 0) {
    if (auto cleared = write_zeroes_now(file_, host); !cleared) return failure(cleared);
  } else {
    std::vector<std::byte> bytes(host.length);
    if (auto read = file_.read_now(former->host, bytes); !read) return failure(read);
    if (auto written = file_.write_now(host.at, bytes); !written) return failure(written);
  }
  const uint64_t at = header_.l1_table_offset + guest / span() * l1_entry_size;
  if (auto stored = tables_.store(at, host.at | entry_copied, Stage::maps); !stored) return failure(stored);
  occupied_.add(host);
  if (former->host != 0) {
    occupied_.remove({former->host, host.length});
    dropped.push_back(former->host);
  }
  return Table{.host = host.at, .own = true};
}

uint64_t EditedMaps::entry_at(const Table& table, uint64_t guest) const {
  return table.host + guest % span() / header_.cluster_size() * l2_entry_size(header_.extended_l2());
}

Result<L2Entry> EditedMaps::entry(const Table& table, uint64_t guest) {
  if (table.host == 0) return L2Entry{};
  const uint64_t at = entry_at(table, guest);
  const auto entry = tables_.load(at);
  if (!entry) return std::unexpected(entry.error());
  uint64_t bitmap = 0;
  if (header_.extended_l2()) {
    const auto second = tables_.load(at + 8);
    if (!second) return std::unexpected(second.error());
    bitmap = *second;
  }
  const L2Entry parsed = parse_l2_entry(header_, *entry, bitmap);
  const bool contradicts = (parsed.allocated & parsed.zeroes) || (parsed.allocated && !parsed.stored) ||
                           !is_multiple(parsed.host, header_.cluster_size());
  if (contradicts && !parsed.compressed)
    return failure(ErrorKind::corrupt, "map", "an L2 entry contradicts itself", at);
  return parsed;
}

Result<void> EditedMaps::set(const Table& table, uint64_t guest, const L2Entry& entry) {
  return tables_.change(entry_at(table, guest), Stage::maps, [&](MutableBytes piece, size_t at) {
    store_be(piece, at, l2_entry_bits(header_, entry));
    if (header_.extended_l2()) store_be(piece, at + 8, l2_bitmap_bits(entry));
  });
}

}  // namespace disklathe::qcow2
