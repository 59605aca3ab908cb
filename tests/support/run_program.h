// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace disklathe::test {

struct ProgramResult {
  int exit_status = -1;  // 128 + n after signal n; 127 when it could not be started
  std::string output;    // of both stdout and stderr
};

// Runs a program found on PATH and waits for it. Its standard input is empty.
ProgramResult run_program(const std::vector<std::string>& arguments);

}  // namespace disklathe::test
