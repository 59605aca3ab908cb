// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/compressed.h"

#include <cstdio>
#include <cstdlib>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace disklathe::test {

std::vector<std::byte> compressed(const std::string& command, Bytes bytes) {
  const TempDir folder(TempDir::Where::memory);
  const std::string file = folder.file("plain");
  write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ProgramResult done = run_program({"sh", "-c", command + " <'" + file + "'"});
  if (done.status != 0) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), done.errors.c_str());
    std::exit(1);
  }
  const auto* first = reinterpret_cast<const std::byte*>(done.output.data());
  return {first, first + done.output.size()};
}

}  // namespace disklathe::test
