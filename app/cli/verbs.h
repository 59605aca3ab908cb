// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace disklathe::cli {

using Arguments = std::span<char* const>;  // after the verb

// One line of the registry of verbs. run() says what goes wrong on stderr and returns the exit code.
struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(Arguments arguments);
};

int run_attach(Arguments arguments);
int run_check(Arguments arguments);
int run_checksum(Arguments arguments);
int run_compare(Arguments arguments);
int run_convert(Arguments arguments);
int run_create(Arguments arguments);
int run_detach(Arguments arguments);
int run_devices(Arguments arguments);
int run_info(Arguments arguments);
int run_jobs(Arguments arguments);
int run_limits(Arguments arguments);
int run_map(Arguments arguments);
int run_measure(Arguments arguments);
int run_serve(Arguments arguments);
int run_sweep(Arguments arguments);
int run_zero(Arguments arguments);

}  // namespace disklathe::cli
