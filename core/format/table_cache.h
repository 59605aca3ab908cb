// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe {

// Tables of images (L1, L2, grain directories, block allocation tables), read in slices and kept while there is room:
// memory stays flat however large the tables are. One cache serves a whole chain of images. Thread-safe.
class TableCache {
 public:
  // Bytes of the file from a multiple of slice_size on, shorter at the end of the file. Stays valid while it is held.
  using Slice = std::shared_ptr<const std::vector<std::byte>>;
  static constexpr uint64_t slice_size = 16 * 1024;

  explicit TableCache(size_t capacity) : capacity_(capacity) {}  // bytes

  // The slice that `at` lies in; at < file.size(). Blocks while it is read.
  Result<Slice> slice(BlockDevice& file, uint64_t at);

  // The bytes of a table from `at` on, as far as one slice has them, at most `length`; `held` is what they live in.
  Result<Bytes> look(BlockDevice& file, uint64_t at, uint64_t length, Slice& held);

  size_t bytes() const;

 private:
  struct Key {
    const BlockDevice* file;
    uint64_t index;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>{}(key.file) ^ (key.index * 0x9e3779b97f4a7c15);
    }
  };
  struct Entry {
    Key key;
    Slice slice;
  };

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> index_;
  size_t bytes_ = 0;
};

}  // namespace disklathe
