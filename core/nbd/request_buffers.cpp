// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/request_buffers.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/nbd/protocol.h"

namespace disklathe::nbd {

AlignedBuffer RequestBuffers::take(uint64_t bytes) {
  const auto size = std::ranges::lower_bound(sizes, bytes);
  std::vector<AlignedBuffer>& kept = kept_[static_cast<size_t>(size - sizes.begin())];
  if (!kept.empty()) {
    AlignedBuffer buffer = std::move(kept.back());
    kept.pop_back();
    kept_bytes_ -= *size;
    return buffer;
  }
  try {
    return AlignedBuffer(*size, preferred_block);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void RequestBuffers::give_back(AlignedBuffer buffer) {
  if (buffer.size() == 0 || kept_bytes_ + buffer.size() > most_kept) return;
  const auto size = std::ranges::find(sizes, buffer.size());
  kept_bytes_ += *size;
  kept_[static_cast<size_t>(size - sizes.begin())].push_back(std::move(buffer));
}

}  // namespace disklathe::nbd
