// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens a sparse extent, or a stream, walks its map, holds every extent to what a reader promises, and decodes the
// first compressed ones. The first byte says how many blocks of 64 KiB of zeroes follow the input, so that grains may
// lie there.
#include "core/format/vmdk/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

namespace {

void decode_some(ImageReader& image, BlockDevice& file) {
  std::vector<Extent> extents;
  if (image.size() == 0 || !image.map({0, image.size()}, extents)) return;
  int left = 4;
  for (const Extent& extent : extents) {
    if (extent.kind != Extent::Kind::compressed || left-- == 0) continue;
    std::vector<std::byte> in(extent.host.length), out(extent.decoded_length);
    if (!file.read_now(extent.host.at, in)) __builtin_trap();
    (void)image.decode(extent, in, out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  test::SpanDevice file(input, input.size() + data[0] * uint64_t{65536});
  const BlockDevice* const files[] = {&file};
  auto image = vmdk::open({.file = &file});
  if (!image) return 0;
  // A descriptor file's extents stay closed here.
  test::walk_map(**image, 0, files);
  test::walk_map(**image, (*image)->size() / 2 + 77, files);
  decode_some(**image, file);
  return 0;
}
