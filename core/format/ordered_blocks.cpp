// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ordered_blocks.h"

namespace disklathe {

Result<void> inside_disk(Range guest, uint64_t disk_size) {
  if (guest.at <= disk_size && guest.length <= disk_size - guest.at) return {};
  return failure(ErrorKind::invalid, "place", "past the end of the disk", guest.at);
}

Result<void> OrderedBlocks::place(std::span<Placement> placements, const Take& take) {
  for (Placement& placement : placements) {
    if (auto right = inside_disk(placement.guest, disk_size_); !right) return right;
    const uint64_t index = placement.guest.at / block_size_, within = placement.guest.at % block_size_;
    if (placement.guest.length > block_size_ - within || (last_ && index < *last_))
      return failure(ErrorKind::invalid, "place", "across blocks, or not in order", placement.guest.at);
    if (last_ != index) {
      auto taken = take(index);
      if (!taken) return failure(taken);
      last_ = index;
      data_at_ = *taken;
    }
    placement.host = data_at_ + within;
    placement.file = 0;
  }
  return {};
}

}  // namespace disklathe
