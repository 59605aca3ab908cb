// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

namespace disklathe::cli {

// What the program ends with. A script that only asks "was it 0" needs none of them; `compare` keeps qemu-img's own
// numbers (below). Listed for people in `disklathe --help` and in the README.
enum ExitCode : int {
  exit_ok = 0,
  exit_other = 1,  // nothing below fits; for compare: the images differ
  exit_usage = 2,  // the command line or the request itself makes no sense
  exit_io = 10,
  exit_not_found = 11,
  exit_permission = 12,
  exit_busy = 13,
  exit_no_space = 14,
  exit_vanished = 15,
  exit_changed = 16,
  exit_corrupt = 17,
  exit_unsupported = 18,
  exit_refused = 19,
  exit_verify_differs = 20,  // convert --verify: what was read back is not what was written
  exit_crashed = 21,         // the worker that did it ended before it was done
  exit_signal = 128,         // plus the signal's number: 130 for Ctrl-C, 143 for SIGTERM

  // qemu-img compare(1)
  exit_compare_identical = 0,
  exit_compare_different = 1,
  exit_compare_open = 2,
  exit_compare_map = 3,
  exit_compare_read = 4,

  // qemu-img check(1)
  exit_check_failed = 1,  // it could not be opened, or not all of it could be looked at
  exit_check_corrupt = 2,
  exit_check_leaks = 3,
  exit_check_unsupported = 63,
};

constexpr int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::io: return exit_io;
    case ErrorKind::not_found: return exit_not_found;
    case ErrorKind::permission: return exit_permission;
    case ErrorKind::busy: return exit_busy;
    case ErrorKind::no_space: return exit_no_space;
    case ErrorKind::vanished: return exit_vanished;
    case ErrorKind::changed: return exit_changed;
    case ErrorKind::corrupt: return exit_corrupt;
    case ErrorKind::unsupported: return exit_unsupported;
    case ErrorKind::invalid: return exit_usage;
    case ErrorKind::refused: return exit_refused;
    case ErrorKind::differs: return exit_verify_differs;
    case ErrorKind::crashed: return exit_crashed;
    case ErrorKind::stopped: return exit_signal + 2;  // Ctrl-C, unless the caller knows which signal it was
  }
  return exit_other;
}

}  // namespace disklathe::cli
