// SPDX-License-Identifier: GPL-3.0-or-later
//
// disklathe-worker: does one job in a process of its own that can touch nothing but what it was handed. Not to be
// started by hand: core/job/launch does.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "core/job/serve.h"

#if defined(__SANITIZE_THREAD__)
// Who stops a worker does not wait a second for it. (One that the helper starts has no environment to say so.)
extern "C" const char* __tsan_default_options() { return "atexit_sleep_ms=0"; }
#endif

int main(int count, char** words) {
  const auto options = disklathe::job::read_worker_options(std::span(words, static_cast<size_t>(count)).subspan(1));
  if (!options) {
    std::fputs("disklathe-worker: this program is started by disklathe, not by hand\n", stderr);
    return EXIT_FAILURE;
  }
  // Whatever else runs at an end would run locked in.
  _exit(disklathe::job::serve(*options));
}
