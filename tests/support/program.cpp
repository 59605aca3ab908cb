// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace disklathe::test {

namespace {

// What the program wrote into an unnamed file: no pipe can fill up while we read the other one.
std::string content_of(FILE* file) {
  std::string content;
  char buffer[65536];
  std::fseek(file, 0, SEEK_SET);
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, file)) content.append(buffer, count);
  return content;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  ProgramResult result;
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  FILE* output = std::tmpfile();
  FILE* errors = std::tmpfile();
  if (!output || !errors) return result;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
  pid_t pid = 0;
  int status = 0;
  if (posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0 && waitpid(pid, &status, 0) == pid &&
      WIFEXITED(status)) {
    result.status = WEXITSTATUS(status);
  }
  posix_spawn_file_actions_destroy(&actions);
  result.output = content_of(output);
  result.errors = content_of(errors);
  std::fclose(output);
  std::fclose(errors);
  return result;
}

}  // namespace disklathe::test
