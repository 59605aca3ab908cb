// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace disklathe {

// A program that has a device open. It may have taken no claim (O_EXCL) that would keep anybody out: a virtual machine,
// a backup, a forgotten dd.
struct Opener {
  pid_t process = 0;
  std::string program;  // as it calls itself, fit to be shown
  bool writes = false;  // it may
};

// The programs that have one of these block devices open now, by /proc/*/fd: those that this user may look into, so
// for root all of this PID namespace. Without the caller itself and the server of an NBD device, who has to.
std::vector<Opener> programs_with_open(std::span<const dev_t> devices);

}  // namespace disklathe
