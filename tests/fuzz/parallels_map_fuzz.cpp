// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image, walks its map, and holds every extent to what a reader promises. The first byte says how many MiB of
// zeroes follow the input, so that clusters may lie there.
#include "core/format/parallels/reader.h"
#include "tests/fuzz/walk_padded.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return disklathe::test::walk_padded(data, size, disklathe::parallels::open);
}
