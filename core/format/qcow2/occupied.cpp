// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/occupied.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow2/snapshots.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t read_at_once = 64 << 10;  // bytes of a table

}  // namespace

Result<Occupied> Occupied::read(BlockDevice& file, const Header& header) {
  Occupied occupied(header.cluster_size());
  auto snapshots = read_snapshots(file, header);
  if (!snapshots) return failure(snapshots);
  const Range l1{header.l1_table_offset, uint64_t{header.l1_size} * l1_entry_size};
  const Range counts{header.refcount_table_offset, uint64_t{header.refcount_table_clusters} << header.cluster_bits};
  uint64_t snapshot_table = 0;
  for (const SnapshotEntry& entry : *snapshots) {
    snapshot_table += entry.stored;
    const uint64_t bytes = uint64_t{entry.l1.entries} * l1_entry_size;
    if (entry.l1.offset <= file.size() && bytes <= file.size() - entry.l1.offset)
      occupied.add({entry.l1.offset, bytes});
  }
  for (const Range part : {Range{0, header.cluster_size()}, l1, counts, Range{header.snapshots_offset, snapshot_table}})
    occupied.add(part);
  if (auto added = occupied.add_entries(file, l1, entry_offset); !added) return failure(added);
  if (auto added = occupied.add_entries(file, counts, refcount_table_offset_mask); !added) return failure(added);
  std::ranges::sort(occupied.clusters_);
  const auto twice = std::ranges::unique(occupied.clusters_);
  occupied.clusters_.erase(twice.begin(), twice.end());
  return occupied;
}

// The tables that a table's entries lead to.
Result<void> Occupied::add_entries(BlockDevice& file, Range table, uint64_t mask) {
  std::vector<std::byte> bytes;
  for (uint64_t at = table.at; at < table.end(); at += bytes.size()) {
    bytes.resize(std::min(read_at_once, table.end() - at));
    if (auto read = file.read_now(at, bytes); !read) return read;
    for (size_t i = 0; i < bytes.size(); i += 8) {
      if (const uint64_t host = load_be<uint64_t>(bytes, i) & mask)
        clusters_.push_back(round_down(host, cluster_size_));
    }
  }
  return {};
}

bool Occupied::touches(Range host) const {
  const auto next = std::ranges::lower_bound(clusters_, round_down(host.at, cluster_size_));
  return next != clusters_.end() && *next < host.end();
}

void Occupied::add(Range host) {
  if (host.empty()) return;
  for (uint64_t at = round_down(host.at, cluster_size_); at < host.end(); at += cluster_size_)
    clusters_.insert(std::ranges::upper_bound(clusters_, at), at);
}

void Occupied::remove(Range host) {
  const auto first = std::ranges::lower_bound(clusters_, round_down(host.at, cluster_size_));
  clusters_.erase(first, std::ranges::lower_bound(clusters_, host.end()));
}

}  // namespace disklathe::qcow2
