// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/registry.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

namespace disklathe::test {

// A fuzz target's whole work: the first byte of the input says how many MiB of zeroes follow the rest of it, which is
// an image for `open`.
inline int walk_padded(const uint8_t* data, size_t size, decltype(Format::open) open) {
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  SpanDevice file(input, input.size() + (uint64_t{data[0]} << 20));
  const BlockDevice* const files[] = {&file};
  auto image = open({.file = &file});
  if (!image) return 0;
  for (const uint64_t from : {uint64_t{0}, (*image)->size() / 2 + 77}) walk_map(**image, from, files);
  return 0;
}

}  // namespace disklathe::test
