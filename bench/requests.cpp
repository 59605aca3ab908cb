// SPDX-License-Identifier: GPL-3.0-or-later
//
// requests FILE SIZE AREA SECONDS read|write: direct requests of SIZE bytes in order over the first AREA bytes of FILE,
// round and round, one after the other, and nothing else. Prints bytes per second.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const bool write = strcmp(argv[5], "write") == 0;
  const int fd = open(argv[1], (write ? O_WRONLY : O_RDONLY) | O_DIRECT);
  const auto size = static_cast<size_t>(atoll(argv[2]));
  const int64_t area = atoll(argv[3]);
  void* buffer = aligned_alloc(4096, size);
  if (fd < 0 || buffer == nullptr) {
    perror(argv[1]);
    return 1;
  }
  memset(buffer, 1, size);
  const double begun = now(), until = begun + atof(argv[4]);
  double ended = begun;
  int64_t at = 0, bytes = 0;
  for (; ended < until; ended = now()) {
    const ssize_t done = write ? pwrite(fd, buffer, size, at) : pread(fd, buffer, size, at);
    if (done != static_cast<ssize_t>(size)) {
      perror(argv[1]);
      return 1;
    }
    bytes += done;
    at += done;
    if (at + done > area) at = 0;
  }
  printf("%.0f\n", static_cast<double>(bytes) / (ended - begun));
}
