// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image, walks its map, and holds every extent to what a reader promises. The first byte says how many MiB of
// zeroes follow the input, so that blocks may lie there.
#include "core/format/vdi/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  test::SpanDevice file(input, input.size() + (uint64_t{data[0]} << 20));
  const BlockDevice* const files[] = {&file};
  auto image = vdi::open({.file = &file});
  if (!image) return 0;
  test::walk_map(**image, 0, files);
  test::walk_map(**image, (*image)->size() / 2 + 77, files);
  return 0;
}
