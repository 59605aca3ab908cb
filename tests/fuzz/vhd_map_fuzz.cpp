// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image and walks its map. The first byte says how much of zeroes is between the input and its last 512 bytes,
// so that blocks may lie there. Checksums are made right: a fuzzer does not guess them.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/endian.h"
#include "core/format/vhd/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

namespace {

constexpr size_t footer_size = 512, header_size = 1024;

void renew(MutableBytes part, size_t field) {
  store_be(part, field, uint32_t{0});
  const auto add = [](uint32_t sum, std::byte b) { return sum + std::to_integer<uint32_t>(b); };
  store_be(part, field, ~std::accumulate(part.begin(), part.end(), uint32_t{0}, add));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1 + 2 * footer_size) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const Bytes front = input.first(input.size() - footer_size);
  std::vector<std::byte> content(input.size() + data[0] * uint64_t{4096});
  std::ranges::copy(front, content.begin());
  std::ranges::copy(input.last(footer_size), content.end() - footer_size);
  const MutableBytes bytes(content);
  for (const MutableBytes footer : {bytes.first(footer_size), bytes.last(footer_size)}) renew(footer, 64);
  for (const auto header_at : {load_be<uint64_t>(bytes, 16), load_be<uint64_t>(bytes.last(footer_size), 16)})
    if (header_at <= bytes.size() && header_size <= bytes.size() - header_at)
      renew(bytes.subspan(header_at, header_size), 36);
  test::SpanDevice file(bytes);
  const BlockDevice* const files[] = {&file};
  vhd::probe(bytes.first(footer_size), bytes.last(footer_size), bytes.size());
  auto image = vhd::open({.file = &file});
  if (!image) return 0;
  for (const uint64_t from : {uint64_t{0}, (*image)->size() / 2 + 77}) test::walk_map(**image, from, files);
  return 0;
}
