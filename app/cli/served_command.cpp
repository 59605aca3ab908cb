// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/served_command.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>
#include <vector>

namespace disklathe::cli {
namespace {

std::vector<std::string> environment_with(const std::string& uri, const std::string& socket) {
  std::vector<std::string> variables{"uri=" + uri, "unixsocket=" + socket};
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("uri=") && !text.starts_with("unixsocket=")) variables.emplace_back(text);
  }
  return variables;
}

}  // namespace

Result<ServedCommand> ServedCommand::start(const std::string& command, const std::string& uri,
                                           const std::string& socket) {
  std::vector<std::string> variables = environment_with(uri, socket);
  std::vector<char*> environment;
  std::ranges::transform(variables, std::back_inserter(environment), [](std::string& text) { return text.data(); });
  environment.push_back(nullptr);
  std::vector<std::string> words{"sh", "-c", command};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};

  // It is to hear of signals as programs usually do, not as this one.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/bin/sh", nullptr, &attributes, arguments, environment.data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return failure(os_failure(error, "run", command));

  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const int why = errno;
  ServedCommand started(pid, std::move(pidfd));
  if (!started.pidfd_.open()) return failure(os_failure(why, "watch", command));
  return started;
}

ServedCommand::ServedCommand(ServedCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}

ServedCommand::~ServedCommand() {
  if (pid_ >= 0) (void)finish();
}

int ServedCommand::finish() {
  pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  if (poll(&ended, 1, 0) == 0) kill(pid_, SIGTERM);
  int status = 0;
  pid_t waited = -1;
  do {
    waited = waitpid(pid_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  pid_ = -1;
  if (waited < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace disklathe::cli
