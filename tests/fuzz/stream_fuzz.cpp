// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stream of one compression, or of the one that its first bytes name. The first byte chooses that, and how much is
// decoded at a time; what it says of its own size is held against what it gives.
#include <algorithm>
#include <vector>

#include "core/stream/source.h"
#include "tests/fuzz/span_device.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  test::SpanDevice file(Bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1));
  constexpr const char* formats[] = {"", "bz2", "gz", "xz", "zst", "raw", "", ""};
  constexpr size_t steps[] = {1 << 16, 4096, 333, 7};
  constexpr uint64_t most_decoded = 4 << 20;

  auto source = stream::Source::open(stream::make_file_input(file),
                                     {.format = formats[data[0] & 7], .limits = {.most_window = 8 << 20}});
  if (!source) return 0;
  std::vector<std::byte> part(steps[data[0] >> 3 & 3]);
  if (data[0] & 0x20) (void)(*source)->head(512);
  uint64_t decoded = 0;
  while (decoded < most_decoded) {
    const auto made = (*source)->fill(part);
    if (!made) return 0;
    decoded += *made;
    if ((*source)->taken() > size - 1) __builtin_trap();
    if (*made < part.size()) {
      // The end, and no error: then what it said is what it held.
      if ((*source)->size() && *(*source)->size() != decoded) __builtin_trap();
      return 0;
    }
  }
  return 0;
}
