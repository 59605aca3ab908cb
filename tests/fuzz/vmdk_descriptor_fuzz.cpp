// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parses a descriptor, and opens the input as an image that is one, with all its extents in one empty file.
#include <algorithm>

#include "core/format/vmdk/descriptor.h"
#include "core/format/vmdk/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  const auto parsed = vmdk::Descriptor::parse({reinterpret_cast<const char*>(data), size});
  if (parsed) {
    uint64_t total = 0;
    for (const auto& extent : parsed->extents) total += extent.sectors;
    if (total > vmdk::max_sectors) __builtin_trap();
  }
  test::SpanDevice file(input), extent({}, uint64_t{1} << 40);
  auto closed = vmdk::open({.file = &file});
  if (!closed) return 0;
  const auto count =
      static_cast<size_t>(std::ranges::count((*closed)->references(), Reference::Kind::extent, &Reference::kind));
  auto image = vmdk::open({.file = &file, .extents = std::vector<BlockDevice*>(count, &extent)});
  if (!image) return 0;
  std::vector<const BlockDevice*> files(count + 1, &extent);
  files[0] = &file;
  test::walk_map(**image, 0, files);
  test::walk_map(**image, (*image)->size() / 2, files);
  return 0;
}
