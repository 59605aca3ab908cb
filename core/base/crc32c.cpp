// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/crc32c.h"

#include <array>
#include <cstddef>

#include "core/base/endian.h"

namespace disklathe {
namespace {

constexpr uint32_t polynomial = 0x82f63b78;  // bits reversed
constexpr size_t lanes = 8;

// tables[n][b]: what byte b becomes with n more bytes behind it.
constexpr auto tables = [] {
  std::array<std::array<uint32_t, 256>, lanes> made{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    made[0][byte] = crc;
  }
  for (size_t lane = 1; lane < lanes; ++lane)
    for (size_t byte = 0; byte < 256; ++byte)
      made[lane][byte] = made[lane - 1][byte] >> 8 ^ made[0][made[lane - 1][byte] & 0xff];
  return made;
}();

// crc: with its bits inverted, before and after.
using Sum = uint32_t (*)(Bytes bytes, uint32_t crc);

uint32_t sum_by_tables(Bytes bytes, uint32_t crc) {
  for (; bytes.size() >= lanes; bytes = bytes.subspan(lanes)) {
    const uint64_t word = load_le<uint64_t>(bytes) ^ crc;
    crc = 0;
    for (size_t i = 0; i < lanes; ++i) crc ^= tables[lanes - 1 - i][word >> (8 * i) & 0xff];
  }
  for (const std::byte byte : bytes) crc = crc >> 8 ^ tables[0][(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
// The processor's own instruction: four times as fast.
[[gnu::target("sse4.2")]] uint32_t sum_by_instruction(Bytes bytes, uint32_t crc) {
  uint64_t wide = crc;
  for (; bytes.size() >= lanes; bytes = bytes.subspan(lanes))
    wide = __builtin_ia32_crc32di(wide, load_le<uint64_t>(bytes));
  crc = static_cast<uint32_t>(wide);
  for (const std::byte byte : bytes) crc = __builtin_ia32_crc32qi(crc, std::to_integer<uint8_t>(byte));
  return crc;
}
#endif

Sum choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return sum_by_instruction;
#endif
  return sum_by_tables;
}

}  // namespace

uint32_t crc32c(Bytes bytes, uint32_t before) {
  static const Sum sum = choose();
  return ~sum(bytes, ~before);
}

}  // namespace disklathe
