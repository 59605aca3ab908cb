// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decodes the input as a grain, marker and all, of 512 bytes or more as the first byte says.
#include <vector>

#include "core/format/vmdk/grain.h"

using namespace disklathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  std::vector<std::byte> out(size_t{512} << (data[0] % 8), std::byte{0xaa});
  const auto done = vmdk::decode_grain(input, out);
  if (!done) return 0;
  if (*done > out.size()) __builtin_trap();
  for (size_t i = *done; i < out.size(); ++i) {
    if (out[i] != std::byte{0}) __builtin_trap();
  }
  return 0;
}
