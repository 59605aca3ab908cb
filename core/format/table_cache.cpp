// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_cache.h"

#include <algorithm>

namespace disklathe {

Result<TableCache::Slice> TableCache::slice(BlockDevice& file, uint64_t at) {
  const Key key{&file, at / slice_size};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = index_.find(key); known != index_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      return known->second->slice;
    }
  }
  // Read without the lock: two threads may read the same slice at worst.
  const uint64_t from = key.index * slice_size;
  auto bytes = std::make_shared<std::vector<std::byte>>(std::min(slice_size, file.size() - from));
  if (auto read = file.read_now(from, *bytes); !read) return failure(read);

  const std::lock_guard lock(mutex_);
  if (const auto known = index_.find(key); known != index_.end()) return known->second->slice;
  while (!entries_.empty() && bytes_ + bytes->size() > capacity_) {
    bytes_ -= entries_.back().slice->size();
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  bytes_ += bytes->size();
  entries_.push_front({key, std::move(bytes)});
  index_.emplace(key, entries_.begin());
  return entries_.front().slice;
}

Result<Bytes> TableCache::look(BlockDevice& file, uint64_t at, uint64_t length, Slice& held) {
  auto found = slice(file, at);
  if (!found) return failure(found);
  held = std::move(*found);
  const Bytes rest = Bytes(*held).subspan(at % slice_size);
  return rest.first(std::min<uint64_t>(rest.size(), length));
}

size_t TableCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace disklathe
