// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/run_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace disklathe::test {

ProgramResult run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> output{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(output[1]);
  ProgramResult result;
  if (child > 0) {
    std::array<char, 4096> part{};
    ssize_t count = 0;
    while ((count = read(output[0], part.data(), part.size())) > 0)
      result.output.append(part.data(), static_cast<size_t>(count));
    int status = 0;
    waitpid(child, &status, 0);
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(output[0]);
  return result;
}

}  // namespace disklathe::test
