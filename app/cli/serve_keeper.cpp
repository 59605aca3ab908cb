// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_keeper.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include "app/cli/exit_codes.h"
#include "app/cli/sentences.h"
#include "app/cli/served_command.h"

namespace disklathe::cli {
namespace {

constexpr int channel_number = 3;

void tell(int code) { [[maybe_unused]] const ssize_t sent = send(channel_number, &code, sizeof code, MSG_NOSIGNAL); }

// Until the server has said that it ends, or is gone. Its exit code is told once: when the command has ended by itself,
// or at the end.
[[noreturn]] void keep(const ServeKeeper::Duties& duties, int channel) {
  // Nothing of the server's: its sockets and its locks end with it.
  if (dup2(channel, channel_number) != channel_number || close_range(channel_number + 1, ~0U, 0) != 0)
    _exit(exit_other);
  sigset_t all;
  sigfillset(&all);  // it ends when the server does, and not before
  sigprocmask(SIG_SETMASK, &all, nullptr);
  std::optional<ServedCommand> command;
  std::optional<int> code;
  if (duties.command.empty()) {
    code = exit_ok;
  } else if (auto started = ServedCommand::start(duties.command, duties.uri, duties.socket)) {
    command.emplace(std::move(*started));
  } else {
    code = report(started.error());
    tell(*code);
  }
  pollfd watched[] = {{.fd = channel_number, .events = POLLIN, .revents = 0},
                      {.fd = command ? command->descriptor() : -1, .events = POLLIN, .revents = 0}};
  while (watched[0].revents == 0) {
    if (poll(watched, std::size(watched), -1) < 0) continue;
    if (watched[1].revents == 0) continue;
    code = command->finish();
    tell(*code);
    watched[1].fd = -1;
    watched[1].revents = 0;
  }
  if (!code) tell(command->finish());
  for (const std::string& name : duties.names) std::remove(name.c_str());
  _exit(exit_ok);
}

}  // namespace

Result<ServeKeeper> ServeKeeper::start(const Duties& duties) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failure(os_failure(errno, "serve", ""));
  Descriptor ours(ends[0]), its(ends[1]);
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return failure(os_failure(errno, "serve", ""));
  if (pid == 0) keep(duties, its.get());
  return ServeKeeper(std::move(ours));
}

int ServeKeeper::finish() {
  shutdown(channel_.get(), SHUT_WR);
  int code = exit_ok, told = 0;
  for (;;) {  // its end is the end of the connection
    const ssize_t count = read(channel_.get(), &told, sizeof told);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof told) return code;
    code = told;
  }
}

}  // namespace disklathe::cli
