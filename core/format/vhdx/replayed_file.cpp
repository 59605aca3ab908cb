// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/replayed_file.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace disklathe::vhdx {
namespace {

constexpr uint64_t leading = 8, trailing = 4, page = 4096;

}  // namespace

void Patches::put(Range range, Patch patch) {
  // Cuts away what the new one covers. Only runs of zeroes are longer than a page, so a page is never cut.
  auto next = patches_.upper_bound(range.at);
  if (next != patches_.begin()) {
    const auto before = std::prev(next);
    const Patch old = before->second;
    if (old.end > range.at) {
      if (old.end > range.end()) patches_.insert_or_assign(range.end(), old);
      if (before->first == range.at)
        patches_.erase(before);
      else
        before->second.end = range.at;
    }
  }
  for (next = patches_.lower_bound(range.at); next != patches_.end() && next->first < range.end();) {
    const Patch old = next->second;
    next = patches_.erase(next);
    if (old.end > range.end()) patches_.insert_or_assign(range.end(), old);
  }
  patch.end = range.end();
  patches_.insert_or_assign(range.at, patch);
}

Patches::Piece Patches::piece(uint64_t at) const {
  const auto next = patches_.upper_bound(at);
  if (next != patches_.begin()) {
    const auto& [begin, patch] = *std::prev(next);
    if (patch.end > at) {
      if (patch.is_zero()) return {.length = patch.end - at, .from = std::nullopt};
      const uint64_t within = at - begin;
      if (within < leading) return {.length = leading - within, .from = patch.descriptor_at + 8 + within};
      if (within >= page - trailing)
        return {.length = page - within, .from = patch.descriptor_at + 4 + (within - (page - trailing))};
      return {.length = page - trailing - within, .from = patch.sector_at + within};
    }
  }
  const uint64_t end = next == patches_.end() ? std::numeric_limits<uint64_t>::max() : next->first;
  return {.length = end - at, .from = at};
}

Result<void> ReplayedFile::read_now(uint64_t at, MutableBytes into) {
  while (!into.empty()) {
    const Patches::Piece piece = patches_.piece(at);
    const MutableBytes part = into.first(std::min<uint64_t>(into.size(), piece.length));
    const uint64_t there =
        piece.from ? std::min<uint64_t>(part.size(), file_.size() - std::min(file_.size(), *piece.from)) : 0;
    if (there > 0) {
      if (auto read = file_.read_now(*piece.from, part.first(there)); !read) return read;
    }
    std::ranges::fill(part.subspan(there), std::byte{0});
    into = into.subspan(part.size());
    at += part.size();
  }
  return {};
}

Task<Result<void>> ReplayedFile::readv(Ring&, uint64_t, std::span<const iovec>) { co_return failure(only_read()); }
Task<Result<void>> ReplayedFile::writev(Ring&, uint64_t, std::span<const iovec>) { co_return failure(only_read()); }
Task<Result<void>> ReplayedFile::zero(Ring&, Range, ZeroMethod) { co_return failure(only_read()); }
Task<Result<void>> ReplayedFile::flush(Ring&) { co_return failure(only_read()); }
Result<void> ReplayedFile::write_now(uint64_t, Bytes) { return failure(only_read()); }
Result<void> ReplayedFile::flush_now() { return failure(only_read()); }
Result<void> ReplayedFile::resize(uint64_t) { return failure(only_read()); }
Result<Allocation> ReplayedFile::allocation(uint64_t at) { return Allocation{Range::between(at, size_), true}; }

}  // namespace disklathe::vhdx
