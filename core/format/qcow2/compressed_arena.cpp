// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/compressed_arena.h"

#include <algorithm>

#include "core/format/qcow2/refcount_block.h"

namespace disklathe::qcow2 {
namespace {

constexpr size_t max_rests = 16;        // more gains nothing: they are filled as fast as they come
constexpr uint64_t smallest_rest = 64;  // bytes; hardly any cluster compresses to less

}  // namespace

CompressedArena::CompressedArena(Clusters& clusters, uint32_t cluster_bits, uint32_t refcount_order)
    : clusters_(clusters), cluster_size_(1ull << cluster_bits), max_refcount_(max_refcount(refcount_order)) {}

Result<uint64_t> CompressedArena::take(uint64_t size) {
  for (auto rest = std::ranges::lower_bound(rests_, size, {}, &Rest::size); rest != rests_.end(); ++rest) {
    const auto fits = countable(*rest, size);
    if (!fits) return std::unexpected(fits.error());
    if (!*fits) continue;
    Rest taken = *rest;
    rests_.erase(rest);
    auto host = take_from(taken, size);
    keep(taken);
    return host;
  }

  const auto grows = open_grows_for(size);
  if (!grows) return std::unexpected(grows.error());
  if (!*grows) {
    keep(open_);
    open_ = {.at = clusters_.end(), .end = clusters_.end()};
  }
  if (open_.size() < size) {
    if (auto more = clusters_.allocate(cluster_size_, 0); !more) return more;
    open_.end += cluster_size_;
  }
  return take_from(open_, size);
}

Result<bool> CompressedArena::open_grows_for(uint64_t size) {
  if (open_.size() < size && open_.end != clusters_.end()) return false;
  if (open_.size() == 0) return open_.end == clusters_.end();
  return countable(open_, std::min(size, open_.size()));
}

Result<bool> CompressedArena::countable(const Rest& rest, uint64_t size) {
  for (const uint64_t byte : {rest.at, rest.at + size - 1}) {
    const auto count = clusters_.refcount(byte);
    if (!count) return std::unexpected(count.error());
    if (*count >= max_refcount_) return false;
  }
  return true;
}

Result<uint64_t> CompressedArena::take_from(Rest& rest, uint64_t size) {
  const uint64_t host = rest.at;
  if (auto counted = clusters_.add_reference({host, size}); !counted) return failure(counted);
  rest.at += size;
  clusters_.used_to(rest.at);
  return host;
}

void CompressedArena::keep(Rest rest) {
  if (rest.size() < smallest_rest) return;
  rests_.insert(std::ranges::lower_bound(rests_, rest.size(), {}, &Rest::size), rest);
  if (rests_.size() > max_rests) rests_.erase(rests_.begin());
}

}  // namespace disklathe::qcow2
