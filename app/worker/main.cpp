// SPDX-License-Identifier: GPL-3.0-or-later
//
// disklathe-worker: does one job in a process of its own that can touch nothing but what it was handed. Not to be
// started by hand: core/job/launch does.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "core/job/serve.h"

int main(int count, char** words) {
  const auto options = disklathe::job::read_worker_options(std::span(words, static_cast<size_t>(count)).subspan(1));
  if (!options) {
    std::fputs("disklathe-worker: this program is started by disklathe, not by hand\n", stderr);
    return EXIT_FAILURE;
  }
  // Whatever else runs at an end would run locked in.
  _exit(disklathe::job::serve(*options));
}
