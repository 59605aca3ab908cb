// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/zero_scan.h"

#include <cstdint>
#include <cstring>

namespace disklathe {
namespace {

constexpr size_t block = 256;

// ORs 256 bytes together eight vectors at a time: one branch a block, and a data block leaves at its first one.
template <class Vector>
[[gnu::always_inline]] inline bool zero_block(const std::byte* at) {
  Vector any{};
  for (size_t i = 0; i < block; i += sizeof(Vector)) {
    Vector lane;
    std::memcpy(&lane, at + i, sizeof lane);
    any |= lane;
  }
  for (size_t i = 0; i < sizeof(Vector) / sizeof(any[0]); ++i) {
    if (any[i] != 0) return false;
  }
  return true;
}

using Scan = size_t (*)(const std::byte*, size_t);

size_t zero_blocks_plain(const std::byte* at, size_t size) {
  using Words [[gnu::vector_size(16)]] = uint64_t;
  size_t done = 0;
  while (done < size && zero_block<Words>(at + done)) done += block;
  return done;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] size_t zero_blocks_avx2(const std::byte* at, size_t size) {
  using Words [[gnu::vector_size(32)]] = uint64_t;
  size_t done = 0;
  while (done < size && zero_block<Words>(at + done)) done += block;
  return done;
}
#endif

Scan choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return zero_blocks_avx2;
#endif
  return zero_blocks_plain;
}

}  // namespace

size_t first_nonzero(Bytes bytes) {
  static const Scan zero_blocks = choose();
  size_t at = zero_blocks(bytes.data(), bytes.size() / block * block);
  while (at < bytes.size() && bytes[at] == std::byte{0}) ++at;
  return at;
}

bool all_zero(Bytes bytes) { return first_nonzero(bytes) == bytes.size(); }

}  // namespace disklathe
