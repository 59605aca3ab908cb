// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image, walks its map for a bounded number of steps, and holds every extent to what a reader promises.
// The first byte says how many clusters of zeroes follow the input, so that tables may lie there.
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  test::SpanDevice file(input, input.size() + data[0] * uint64_t{65536}), data_file({}, 1 << 20);
  const BlockDevice* const files[] = {&file, &data_file};
  const auto header = qcow2::read_header(file);
  if (!header) return 0;
  BlockDevice* const second = header->has_data_file() ? &data_file : nullptr;
  for (const char* snapshot : {"", "1"}) {
    auto image = qcow2::open({.file = &file, .data_file = second, .snapshot = snapshot});
    if (!image) continue;
    test::walk_map(**image, 0, files);
    test::walk_map(**image, (*image)->size() / 2 + 77, files);
  }
  return 0;
}
