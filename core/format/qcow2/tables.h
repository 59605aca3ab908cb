// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/table_cache.h"

namespace disklathe::qcow2 {

// Where a map reads the image's tables. Thread-safe.
class Tables {
 public:
  struct Part {
    std::shared_ptr<const std::vector<std::byte>> held;
    Bytes bytes;  // good while it is held
  };

  virtual ~Tables() = default;
  // What is at hand of the image file from `at` on, which lies inside it: one entry of a table at least.
  virtual Result<Part> from(uint64_t at) = 0;
};

// As they are in the file, which nobody changes.
class StoredTables final : public Tables {
 public:
  StoredTables(BlockDevice& file, std::shared_ptr<TableCache> cache) : file_(file), cache_(std::move(cache)) {}

  Result<Part> from(uint64_t at) override {
    auto slice = cache_->slice(file_, at);
    if (!slice) return failure(slice);
    const Bytes bytes = Bytes(**slice).subspan(at % TableCache::slice_size);
    return Part{std::move(*slice), bytes};
  }

 private:
  BlockDevice& file_;
  const std::shared_ptr<TableCache> cache_;
};

}  // namespace disklathe::qcow2
