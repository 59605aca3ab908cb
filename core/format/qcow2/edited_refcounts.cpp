// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/edited_refcounts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/preallocate.h"
#include "core/format/qcow2/refcount_block.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t most_bytes = (uint64_t{1} << 56) - 1;  // that an L2 entry can point into

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "write to", std::move(cause), at);
}

}  // namespace

EditedRefcounts::EditedRefcounts(BlockDevice& file, EditedTables& tables, Occupied& occupied, const Header& header)
    : file_(file),
      tables_(tables),
      occupied_(occupied),
      cluster_bits_(header.cluster_bits),
      order_(header.refcount_order),
      cluster_size_(header.cluster_size()),
      per_block_((cluster_size_ * 8) >> order_),
      most_clusters_((file.has_holes() ? most_bytes : file.size()) >> cluster_bits_),
      table_{header.refcount_table_offset, header.refcount_table_clusters},
      used_(divide_up(file.size(), cluster_size_)) {}

Result<uint64_t> EditedRefcounts::block(uint64_t index) {
  if (index >= table_entries()) return 0;
  auto entry = tables_.load(table_.offset + index * refcount_table_entry_size);
  if (!entry) return entry;
  const uint64_t host = *entry & refcount_table_offset_mask;
  if (!is_multiple(host, cluster_size_) || host > file_.size() || (host && cluster_size_ > file_.size() - host))
    return corrupt(host, fmt::format("refcount block {} does not lie on a cluster inside the file", index));
  return host;
}

Result<uint64_t> EditedRefcounts::of(uint64_t host) {
  const uint64_t cluster = host >> cluster_bits_;
  auto counts = block(cluster / per_block_);
  if (!counts || *counts == 0) return counts;
  const uint64_t bit = (cluster % per_block_) << order_;
  auto part = tables_.from(*counts + bit / 8);
  if (!part) return failure(part);
  return load_refcount(part->bytes, (bit % 8) >> order_, order_);
}

Result<uint64_t> EditedRefcounts::next(uint64_t cluster, uint64_t end, bool free) {
  while (cluster < end) {
    const uint64_t index = cluster / per_block_;
    auto counts = block(index);
    if (!counts) return counts;
    if (*counts == 0) {
      if (free) return cluster;
      cluster = index + 1 > table_entries() ? end : (index + 1) * per_block_;
      continue;
    }
    const uint64_t bit = (cluster % per_block_) << order_;
    auto part = tables_.from(*counts + bit / 8);
    if (!part) return failure(part);
    const uint64_t skipped = (bit % 8) >> order_;
    const uint64_t here = std::min(((part->bytes.size() * 8) >> order_) - skipped, end - cluster);
    for (uint64_t i = 0; i < here; ++i, ++cluster)
      if ((load_refcount(part->bytes, skipped + i, order_) == 0) == free) return cluster;
  }
  return end;
}

Result<EditedRefcounts::Taken> EditedRefcounts::find(uint64_t least, uint64_t most) {
  uint64_t first = search_, end = search_;
  for (;;) {
    auto found = next(end, most_clusters_, true);
    if (!found) return failure(found);
    first = *found;
    if (least > most_clusters_ - first)
      return failure(ErrorKind::no_space, "allocate", "no host cluster is free", first << cluster_bits_);
    const uint64_t limit = std::min(most, most_clusters_ - first);
    found = next(first, first + limit, false);
    if (!found) return failure(found);
    end = *found;
    // What is new and what was in use before are two runs, where that is possible.
    if (first < used_ && end > used_ && used_ - first >= least) end = used_;
    if (end - first >= least) break;
  }
  Taken taken{.host = {first << cluster_bits_, (end - first) << cluster_bits_},
              .zeroed = first >= used_ && file_.has_holes()};
  if (occupied_.touches(taken.host)) return corrupt(taken.host.at, "a cluster that is called free holds a table");
  if (auto grown = grow_file(file_, taken.host.end()); !grown) return failure(grown);
  search_ = end;
  used_ = std::max(used_, end);
  return taken;
}

Result<EditedRefcounts::Taken> EditedRefcounts::allocate(uint64_t most) {
  auto taken = find(1, most);
  if (!taken) return taken;
  if (auto counted = count(taken->host); !counted) return failure(counted);
  return taken;
}

Result<void> EditedRefcounts::count(Range host) {
  for (uint64_t at = host.at; at < host.end(); at += cluster_size_) {
    const uint64_t cluster = at >> cluster_bits_, index = cluster / per_block_;
    auto counts = block(index);
    if (counts && *counts == 0) {
      if (auto made = make_block(index); !made) return made;
      counts = block(index);
    }
    if (!counts) return failure(counts);
    const uint64_t bit = (cluster % per_block_) << order_;
    auto set = tables_.change(*counts + bit / 8, Stage::counts, [&](MutableBytes piece, size_t byte) {
      store_refcount(piece.subspan(byte), (bit % 8) >> order_, order_, 1);
    });
    if (!set) return set;
  }
  return {};
}

// The block and its place in the table become durable before anything that it counts is referred to.
Result<void> EditedRefcounts::make_block(uint64_t index) {
  if (index >= table_entries()) {
    if (auto grown = grow_table(index); !grown) return grown;
    const auto made = block(index);  // to count the new table
    if (!made || *made != 0) return made ? Result<void>() : std::unexpected(made.error());
  }
  auto taken = find(1, 1);
  if (!taken) return failure(taken);
  tables_.forget(taken->host);
  if (auto cleared = write_zeroes_now(file_, taken->host); !cleared) return cleared;
  const uint64_t entry_at = table_.offset + index * refcount_table_entry_size;
  if (auto stored = tables_.store(entry_at, taken->host.at, Stage::count_table); !stored) return stored;
  occupied_.add(taken->host);
  return count(taken->host);
}

// The new table is written whole; it counts when the header names it.
Result<void> EditedRefcounts::grow_table(uint64_t index) {
  const uint64_t most = max_refcount_table_bytes >> cluster_bits_;
  const uint64_t needed = divide_up((index + 1) * refcount_table_entry_size, cluster_size_);
  if (needed > most)
    return failure(ErrorKind::no_space, "allocate", "the refcount table has reached the format's limit");
  const uint64_t clusters = std::min(std::max<uint64_t>(needed, table_.clusters + table_.clusters / 2 + 1), most);
  const Range old{table_.offset, table_.clusters * cluster_size_};
  std::vector<std::byte> bytes;
  while (bytes.size() < old.length) {
    auto part = tables_.from(old.at + bytes.size());
    if (!part) return failure(part);
    bytes.insert(bytes.end(), part->bytes.begin(), part->bytes.end());
  }
  bytes.resize(clusters * cluster_size_);
  auto taken = find(clusters, clusters);
  if (!taken) return failure(taken);
  tables_.forget(taken->host);
  if (auto written = file_.write_now(taken->host.at, bytes); !written) return written;
  tables_.forget(old);
  former_tables_.push_back(old);
  occupied_.add(taken->host);
  table_ = {taken->host.at, static_cast<uint32_t>(clusters)};
  return count(taken->host);
}

Result<void> EditedRefcounts::drop(uint64_t host, uint64_t references) {
  auto now = of(host);
  if (!now) return failure(now);
  if (*now < references)
    return corrupt(host, fmt::format("a cluster has refcount {}, and at least {} references", *now, references));
  const uint64_t cluster = host >> cluster_bits_, bit = (cluster % per_block_) << order_;
  auto counts = block(cluster / per_block_);
  if (!counts) return failure(counts);
  auto set = tables_.change(*counts + bit / 8, Stage::counts, [&](MutableBytes piece, size_t byte) {
    store_refcount(piece.subspan(byte), (bit % 8) >> order_, order_, *now - references);
  });
  if (set && *now == references) search_ = std::min(search_, cluster);
  return set;
}

}  // namespace disklathe::qcow2
