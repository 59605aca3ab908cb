// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/clusters.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/refcount_block.h"

namespace disklathe::qcow2 {
namespace {

uint32_t table_clusters_for(uint64_t most_bytes, uint64_t cluster_size, uint64_t per_block) {
  const uint64_t clusters = divide_up(most_bytes, cluster_size);
  // The blocks count themselves and the table too: an eighth more is plenty (a block counts 64 clusters at least).
  const uint64_t blocks = divide_up(clusters + clusters / 8 + 64, per_block);
  const uint64_t bytes = std::min(blocks * refcount_table_entry_size, max_refcount_table_bytes);
  return static_cast<uint32_t>(divide_up(bytes, cluster_size));
}

}  // namespace

Clusters::Clusters(BlockDevice& file, TableStore& tables, uint32_t cluster_bits, uint32_t refcount_order,
                   uint64_t most_bytes)
    : file_(file),
      tables_(tables),
      cluster_size_(1ull << cluster_bits),
      refcount_order_(refcount_order),
      per_block_(cluster_size_ * 8 >> refcount_order),
      table_clusters_(table_clusters_for(most_bytes, cluster_size_, per_block_)),
      table_(table_clusters_ * cluster_size_ / refcount_table_entry_size) {}

Result<void> Clusters::begin() {
  auto first = allocate((1 + uint64_t{table_clusters_}) * cluster_size_);
  if (!first) return failure(first);
  return {};
}

Result<uint64_t> Clusters::allocate(uint64_t bytes, uint64_t refcount) {
  const uint64_t host = end_;
  const uint64_t first = host / cluster_size_;
  const uint64_t data_end = first + divide_up(bytes, cluster_size_);
  // The blocks that are missing follow what was asked for, and are counted as well.
  uint64_t end = data_end;
  uint64_t blocks = std::max(blocks_, divide_up(end, per_block_));
  while (end != data_end + (blocks - blocks_)) {
    end = data_end + (blocks - blocks_);
    blocks = std::max(blocks_, divide_up(end, per_block_));
  }
  if (blocks > table_.count())
    return failure(ErrorKind::invalid, "allocate",
                   fmt::format("the refcount table would pass {} bytes: a larger cluster_size is needed",
                               table_.count() * refcount_table_entry_size),
                   host);
  if (auto grown = grow_file(file_, end * cluster_size_); !grown) return failure(grown);
  for (uint64_t block = blocks_; block < blocks; ++block)
    table_.set(block, (data_end + block - blocks_) * cluster_size_);
  blocks_ = blocks;
  if (auto counted = count(first, data_end, refcount); !counted) return failure(counted);
  if (auto counted = count(data_end, end, 1); !counted) return failure(counted);
  end_ = end * cluster_size_;
  used_ = end == data_end ? host + bytes : end_;
  return host;
}

Result<void> Clusters::count(uint64_t first, uint64_t end, uint64_t value) {
  while (first < end) {
    const uint64_t block = first / per_block_;
    const uint64_t host = table_.get(block);
    auto bytes = block < written_blocks_ ? tables_.edit(host) : tables_.add(host);
    if (!bytes) return failure(bytes);
    written_blocks_ = std::max(written_blocks_, block + 1);
    const uint64_t stop = std::min(end, (block + 1) * per_block_);
    for (; first < stop; ++first) store_refcount(*bytes, first % per_block_, refcount_order_, value);
  }
  return {};
}

Result<uint64_t> Clusters::refcount(uint64_t host) {
  const uint64_t cluster = host / cluster_size_;
  auto block = tables_.view(table_.get(cluster / per_block_));
  if (!block) return failure(block);
  return load_refcount(*block, cluster % per_block_, refcount_order_);
}

Result<void> Clusters::add_reference(Range host) {
  for (uint64_t cluster = host.at / cluster_size_; cluster <= (host.end() - 1) / cluster_size_; ++cluster) {
    auto block = tables_.edit(table_.get(cluster / per_block_));
    if (!block) return failure(block);
    const uint64_t index = cluster % per_block_;
    store_refcount(*block, index, refcount_order_, load_refcount(*block, index, refcount_order_) + 1);
  }
  return {};
}

void Clusters::used_to(uint64_t host) {
  if (divide_up(host, cluster_size_) * cluster_size_ == end_) used_ = host;
}

uint64_t Clusters::used_bytes() const { return round_up(used_, sector_size); }

Result<void> Clusters::write_table(bool sparse) const {
  return table_.write(file_, table_offset(), uint64_t{table_clusters_} * cluster_size_, sparse);
}

}  // namespace disklathe::qcow2
