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

}  // namespace

uint32_t crc32c(Bytes bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (; bytes.size() >= lanes; bytes = bytes.subspan(lanes)) {
    const uint64_t word = load_le<uint64_t>(bytes) ^ crc;
    crc = 0;
    for (size_t i = 0; i < lanes; ++i) crc ^= tables[lanes - 1 - i][word >> (8 * i) & 0xff];
  }
  for (const std::byte byte : bytes) crc = crc >> 8 ^ tables[0][(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace disklathe
