// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/reply_queue.h"

#include <algorithm>

namespace disklathe::nbd {
namespace {

constexpr size_t arena_size = 2 * ReplyQueue::copied_at_once + (64 << 10);

// Memory that reads as zero and is never written: all its pages are the kernel's one zero page.
MutableBytes zeroes() {
  static AlignedBuffer buffer(256 << 10, 4096);
  return buffer.bytes();
}

}  // namespace

ReplyQueue::ReplyQueue(Connection& connection) : connection_(connection), arena_(arena_size, 4096) {
  parts_.reserve(most_parts + 2);
}

MutableBytes ReplyQueue::room(size_t size) {
  if (arena_used_ + size > arena_.size()) (void)send(true);
  return arena_.bytes().subspan(arena_used_, size);
}

void ReplyQueue::add(const void* from, size_t size) {
  auto* start = static_cast<std::byte*>(const_cast<void*>(from));
  if (start == arena_.data() + arena_used_) arena_used_ += size;
  queued_ += size;
  if (!parts_.empty() && static_cast<std::byte*>(parts_.back().iov_base) + parts_.back().iov_len == start) {
    parts_.back().iov_len += size;
    return;
  }
  parts_.push_back({start, size});
}

bool ReplyQueue::send(bool more) {
  const bool sent = connection_.send(parts_, more);
  parts_.clear();
  queued_ = arena_used_ = 0;
  return sent;
}

bool ReplyQueue::pad(uint64_t length) {
  while (length > 0) {
    const size_t part = std::min<uint64_t>(length, zeroes().size());
    add(zeroes().data(), part);
    length -= part;
    if (full() && !send(true)) return false;
  }
  return true;
}

}  // namespace disklathe::nbd
