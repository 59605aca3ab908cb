// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace disklathe::test {

struct ProgramResult {
  int status = -1;     // exit status; -1: it could not be started or was killed
  std::string output;  // standard output
  std::string errors;  // standard error
};

// Runs a program from PATH to its end, with nothing on its standard input.
ProgramResult run_program(const std::vector<std::string>& arguments);

}  // namespace disklathe::test
