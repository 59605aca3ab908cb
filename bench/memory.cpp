// SPDX-License-Identifier: GPL-3.0-or-later
//
// memory BYTES: has so many bytes of memory for a moment. A virtual machine that gives its host what is free has to ask
// for each page again, and who runs next should not be the one to wait for it.

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto bytes = static_cast<size_t>(atoll(argv[1]));
  if (mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED) {
    perror("memory");
    return 1;
  }
}
