// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the machine itself takes for the bytes of a case, with nothing decided about any of them:
//   floor read FILE THREADS cached|direct           reads all of FILE
//   floor write FILE BYTES THREADS cached|direct    writes BYTES to a new FILE; direct: and syncs it

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

[[noreturn]] static void fail(const char* what) {
  perror(what);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const bool write = strcmp(argv[1], "write") == 0;
  const bool direct = strcmp(argv[argc - 1], "direct") == 0;
  const long threads = atol(argv[argc - 2]);
  const int fd = open(argv[2], (write ? O_WRONLY | O_CREAT : O_RDONLY) | (direct ? O_DIRECT : 0), 0600);
  if (fd < 0) fail(argv[2]);
  int64_t size = write ? atoll(argv[3]) : lseek(fd, 0, SEEK_END);
  const int64_t piece = direct ? 1 << 20 : 256 << 10;
  if (direct && write) size = (size + 4095) & ~int64_t{4095};
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    void* buffer = aligned_alloc(4096, static_cast<size_t>(piece));
    if (buffer == nullptr) fail("memory");
    memset(buffer, 1, static_cast<size_t>(piece));
    for (int64_t at; (at = next.fetch_add(piece)) < size;) {
      const auto want = static_cast<size_t>(std::min(piece, size - at));
      const ssize_t got = write ? pwrite(fd, buffer, want, at) : pread(fd, buffer, want, at);
      if (got != static_cast<ssize_t>(want)) fail(argv[2]);
    }
    free(buffer);
  };
  std::vector<std::thread> pool;
  for (long i = 1; i < threads; i++) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (write && direct && fdatasync(fd) != 0) fail(argv[2]);
}
