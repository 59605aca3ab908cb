// SPDX-License-Identifier: GPL-3.0-or-later
//
// runner FD PROGRAM ARG...: runs it and writes one line to that descriptor: wall, user and system time in seconds, peak
// RSS in KiB, exit status (128 + signal when one ended it).
//
// Linked statically and tiny for a reason: until exec the child is its parent's image, and Linux counts that into the
// child's peak RSS. Measured from Python every small program would seem to need Python's memory.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int report = atoi(argv[1]);
  fcntl(report, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed bench takes its contender with it
  const double began = now();
  const pid_t child = vfork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 2;
  const double took = now() - began;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  dprintf(report, "%.6f %.6f %.6f %ld %d\n", took, seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss,
          code);
}
