// SPDX-License-Identifier: GPL-3.0-or-later
//
// How fast memory is looked through for zeroes, and how fast it is read for copying:
//   scan zeroes BYTES ROUNDS      looks at BYTES of zeroes in blocks of 4 KiB, as a conversion does
//   scan copy BYTES ROUNDS        copies them a block at a time to one place, so that reading is what takes time

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>

#include "core/zero/zero_scan.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  constexpr size_t block = 4096;
  const bool copies = strcmp(argv[1], "copy") == 0;
  const size_t size = strtoull(argv[2], nullptr, 10) / block * block;
  auto* memory = static_cast<std::byte*>(aligned_alloc(block, size));
  auto* place = static_cast<std::byte*>(aligned_alloc(block, block));
  if (memory == nullptr || place == nullptr) return 1;
  memset(memory, 0, size);
  size_t zeroes = 0;
  for (long round = atol(argv[3]); round > 0; --round) {
    for (size_t at = 0; at < size; at += block) {
      if (copies) {
        memcpy(place, memory + at, block);
        asm volatile("" : : "r"(place) : "memory");  // it is wanted
        ++zeroes;
      } else {
        zeroes += disklathe::all_zero({memory + at, block});
      }
    }
  }
  printf("%zu\n", zeroes);
}
