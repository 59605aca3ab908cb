// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image, walks its map for a bounded number of steps, and holds every extent to what a reader promises.
// The first byte says how many clusters of zeroes follow the input, so that tables may lie there.
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/reader.h"
#include "tests/fuzz/span_device.h"

using namespace disklathe;

namespace {

constexpr int max_calls = 64;

void check(const Extent& extent, Range asked, uint64_t at, const BlockDevice* const* files) {
  if (extent.guest.at != at || extent.guest.empty() || extent.guest.end() > asked.end()) __builtin_trap();
  if (extent.file > 1) __builtin_trap();
  if (extent.kind == Extent::Kind::data || extent.kind == Extent::Kind::compressed) {
    if (extent.host.empty() || extent.host.at >= files[extent.file]->size()) __builtin_trap();
    if (extent.host.length > files[extent.file]->size() - extent.host.at) __builtin_trap();
  }
  if (extent.kind == Extent::Kind::data && extent.host.length != extent.guest.length) __builtin_trap();
  if (extent.kind == Extent::Kind::compressed) {
    if (extent.decoded_length > 1 << qcow2::max_cluster_bits) __builtin_trap();
    if (extent.decoded_skip + extent.guest.length > extent.decoded_length) __builtin_trap();
  }
}

void walk(ImageReader& image, uint64_t from, const BlockDevice* const* files) {
  uint64_t at = from;
  std::vector<Extent> extents;
  for (int calls = 0; calls < max_calls && at < image.size(); ++calls) {
    extents.clear();
    const Range want = Range::between(at, image.size());
    if (!image.map(want, extents)) return;
    if (extents.empty() || extents.size() > 8192) __builtin_trap();
    for (const Extent& extent : extents) {
      check(extent, want, at, files);
      at = extent.guest.end();
    }
  }
}

}  // namespace

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
    walk(**image, 0, files);
    walk(**image, (*image)->size() / 2 + 77, files);
  }
  return 0;
}
