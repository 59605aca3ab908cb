// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a device says of itself: read without reading past it, and nothing in it harms who shows it.
#include <algorithm>
#include <initializer_list>

#include "tests/support/device_answers.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto disk = read_answers(test::in_pieces(Bytes(reinterpret_cast<const std::byte*>(data), size)));
  if (!disk) return 0;
  for (const std::string& text : {disk->vendor, disk->model, disk->firmware, disk->serial, disk->wwn}) {
    const bool harmless = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    if (!harmless || text.size() > 256) __builtin_trap();
  }
  for (const auto& count :
       {disk->logical_block, disk->max_transfer, disk->optimal_transfer, disk->transfer_granularity, disk->boundary,
        disk->max_write_zeroes, disk->max_unmap, disk->max_unmap_ranges, disk->unmap_granularity})
    if (count == 0U) __builtin_trap();
  return 0;
}
