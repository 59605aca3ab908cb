// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <concepts>
#include <cstring>

#include "core/base/bytes.h"

namespace disklathe {

// Integers in images, in the byte order their format names. The caller has checked that at + sizeof(T) fits.
template <std::unsigned_integral T>
T load_be(Bytes from, size_t at = 0) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

template <std::unsigned_integral T>
T load_le(Bytes from, size_t at = 0) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return std::endian::native == std::endian::big ? std::byteswap(value) : value;
}

template <std::unsigned_integral T>
void store_be(MutableBytes to, size_t at, T value) {
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

template <std::unsigned_integral T>
void store_le(MutableBytes to, size_t at, T value) {
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

}  // namespace disklathe
