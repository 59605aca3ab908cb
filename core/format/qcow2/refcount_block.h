// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/endian.h"

// The entries of a refcount block: 1 << order bits each, below a byte the least significant bits first
// (specification, "Host cluster management").
namespace disklathe::qcow2 {

constexpr uint64_t max_refcount(uint32_t order) { return order == 6 ? ~0ull : (1ull << (1u << order)) - 1; }

inline uint64_t load_refcount(Bytes block, uint64_t index, uint32_t order) {
  switch (order) {
    case 3: return load_be<uint8_t>(block, index);
    case 4: return load_be<uint16_t>(block, index * 2);
    case 5: return load_be<uint32_t>(block, index * 4);
    case 6: return load_be<uint64_t>(block, index * 8);
    default: {
      const uint64_t bit = index << order;
      return (load_be<uint8_t>(block, bit / 8) >> (bit % 8)) & max_refcount(order);
    }
  }
}

// value <= max_refcount(order).
inline void store_refcount(MutableBytes block, uint64_t index, uint32_t order, uint64_t value) {
  switch (order) {
    case 3: return store_be(block, index, static_cast<uint8_t>(value));
    case 4: return store_be(block, index * 2, static_cast<uint16_t>(value));
    case 5: return store_be(block, index * 4, static_cast<uint32_t>(value));
    case 6: return store_be(block, index * 8, value);
    default: {
      const uint64_t bit = index << order;
      const auto shift = static_cast<uint32_t>(bit % 8);
      const auto old = load_be<uint8_t>(block, bit / 8);
      const auto mask = static_cast<uint8_t>(max_refcount(order) << shift);
      return store_be(block, bit / 8, static_cast<uint8_t>((old & ~mask) | (value << shift)));
    }
  }
}

}  // namespace disklathe::qcow2
