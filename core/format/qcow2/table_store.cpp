// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/table_store.h"

#include <algorithm>

namespace disklathe::qcow2 {
namespace {

// Guest data comes in order: one L2 table and one refcount block are at work at a time; more only for the pieces in
// flight and for compressed clusters that fill what was left free earlier.
constexpr size_t memory_budget = 8 << 20;
constexpr size_t least_tables = 4;

}  // namespace

TableStore::TableStore(BlockDevice& file, uint32_t table_size)
    : file_(file), table_size_(table_size), capacity_(std::max(least_tables, memory_budget / table_size)) {}

TableStore::Table* TableStore::find(uint64_t host) {
  if (!tables_.empty() && tables_.front().host == host) return &tables_.front();
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) return nullptr;
  tables_.splice(tables_.begin(), tables_, found->second);
  return &tables_.front();
}

Result<TableStore::Table*> TableStore::insert(uint64_t host) {
  if (tables_.size() < capacity_) {
    tables_.emplace_front().bytes.resize(table_size_);
  } else {
    Table& oldest = tables_.back();
    if (auto written = write(oldest); !written) return failure(written);
    by_host_.erase(oldest.host);
    tables_.splice(tables_.begin(), tables_, std::prev(tables_.end()));
  }
  tables_.front().host = host;
  by_host_[host] = tables_.begin();
  return &tables_.front();
}

Result<TableStore::Table*> TableStore::open(uint64_t host) {
  if (Table* table = find(host)) return table;
  auto table = insert(host);
  if (!table) return table;
  if (auto read = file_.read_now(host, (*table)->bytes); !read) {
    by_host_.erase(host);
    tables_.pop_front();
    return failure(read);
  }
  return table;
}

Result<MutableBytes> TableStore::add(uint64_t host) {
  auto table = insert(host);
  if (!table) return failure(table);
  std::ranges::fill((*table)->bytes, std::byte{0});
  (*table)->dirty = true;
  return MutableBytes((*table)->bytes);
}

Result<Bytes> TableStore::view(uint64_t host) {
  auto table = open(host);
  if (!table) return failure(table);
  return Bytes((*table)->bytes);
}

Result<MutableBytes> TableStore::edit(uint64_t host) {
  auto table = open(host);
  if (!table) return failure(table);
  (*table)->dirty = true;
  return MutableBytes((*table)->bytes);
}

Result<void> TableStore::write(Table& table) {
  if (!table.dirty) return {};
  if (auto written = file_.write_now(table.host, table.bytes); !written) return failure(written);
  table.dirty = false;
  return {};
}

Result<void> TableStore::write_all() {
  std::vector<Table*> dirty;
  for (Table& table : tables_) {
    if (table.dirty) dirty.push_back(&table);
  }
  std::ranges::sort(dirty, {}, &Table::host);
  for (Table* table : dirty) {
    if (auto written = write(*table); !written) return failure(written);
  }
  return {};
}

}  // namespace disklathe::qcow2
