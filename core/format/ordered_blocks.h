// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/format/image_writer.h"

namespace disklathe {

// The places of a format that stores whole blocks, each taken when something is first placed in it. The guest's bytes
// come in order, so that only the last block needs to be known. Not thread-safe.
class OrderedBlocks {
 public:
  // Takes a block; where its data begins in the file.
  using Take = std::function<Result<uint64_t>(uint64_t index)>;

  OrderedBlocks(uint64_t block_size, uint64_t disk_size) : block_size_(block_size), disk_size_(disk_size) {}

  // ImageWriter::place(), of a writer whose boundary() is the block's size.
  Result<void> place(std::span<Placement> placements, const Take& take);

 private:
  const uint64_t block_size_, disk_size_;
  std::optional<uint64_t> last_;  // index
  uint64_t data_at_ = 0;          // of the last one
};

// Whether the guest range lies inside the disk; operation "place".
Result<void> inside_disk(Range guest, uint64_t disk_size);

}  // namespace disklathe
