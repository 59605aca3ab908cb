// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe::qcow2 {

// The image's cluster-sized tables (L2 tables and refcount blocks), by host offset: the recently used ones in memory,
// the rest written out and read back when they are asked for again, so that memory stays flat. Not thread-safe.
// A span it returns is good until the next call.
class TableStore {
 public:
  TableStore(BlockDevice& file, uint32_t table_size);

  // A table that was not there before: all zero.
  Result<MutableBytes> add(uint64_t host);
  Result<Bytes> view(uint64_t host);
  Result<MutableBytes> edit(uint64_t host);

  // Everything that is not in the file yet, in host order.
  Result<void> write_all();

 private:
  struct Table {
    uint64_t host = 0;
    bool dirty = false;
    std::vector<std::byte> bytes;
  };
  using Tables = std::list<Table>;  // the most recently used first

  // The table moved to the front, or null.
  Table* find(uint64_t host);
  // Makes room and puts the table at the front, its bytes as they come.
  Result<Table*> insert(uint64_t host);
  Result<Table*> open(uint64_t host);
  Result<void> write(Table& table);

  BlockDevice& file_;
  uint32_t table_size_;
  size_t capacity_;
  Tables tables_;
  std::unordered_map<uint64_t, Tables::iterator> by_host_;
};

}  // namespace disklathe::qcow2
