// SPDX-License-Identifier: GPL-3.0-or-later
//
// disklathe-authorize [--unasked] ACTION KIB IDENTITY...: asks for a device on behalf of the command, which has no Qt.
// Descriptor 3 is the worker's end of the command's socket pair: all that becomes of it is told there. Where there is a
// terminal and no desktop that asks for passwords, polkit's agent for terminals does. --unasked: nothing is asked for
// that a person would have to allow.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <KAuth/Action>
#include <QCoreApplication>
#include <csignal>
#include <cstdlib>
#include <string>

#include "core/device/identity_words.h"
#include "helper/client/authorization.h"

namespace disklathe::helper {
namespace {

// What this program starts ends with it, and it with the command.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(EXIT_FAILURE);
}

// Returns when the agent is registered, or cannot be. 0: none.
pid_t start_agent() {
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return 0;
  close(terminal);
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return 0;
  const pid_t own = getpid();
  const std::string process = std::to_string(own), notify = std::to_string(ready[1]);
  const pid_t agent = fork();
  if (agent == 0) {
    end_with(own);
    fcntl(ready[1], F_SETFD, 0);
    // The desktop's agent is better. Outside any session polkit overlooks agents that stand back for others.
    const bool session = std::getenv("XDG_SESSION_ID") || std::getenv("WAYLAND_DISPLAY") || std::getenv("DISPLAY");
    execlp("pkttyagent", "pkttyagent", "--process", process.c_str(), "--notify-fd", notify.c_str(),
           session ? "--fallback" : nullptr, nullptr);
    _exit(EXIT_FAILURE);
  }
  close(ready[1]);
  char nothing = 0;
  while (agent > 0 && read(ready[0], &nothing, 1) < 0 && errno == EINTR) continue;
  close(ready[0]);
  return agent > 0 ? agent : 0;
}

bool is_allowed(Action action) {
  const QString name = QStringLiteral("org.disklathe.helper.") + QString::fromLatin1(name_of(action).data());
  return KAuth::Action(name).status() == KAuth::Action::AuthorizedStatus;
}

}  // namespace
}  // namespace disklathe::helper

int main(int count, char** arguments) {
  using namespace disklathe;
  constexpr int socket_fd = 3;
  helper::end_with(getppid());
  std::vector<std::string> words(arguments + 1, arguments + std::max(count, 1));
  const bool unasked = !words.empty() && words[0] == "--unasked";
  if (unasked) words.erase(words.begin());
  const auto action = words.empty() ? std::nullopt : helper::action_of(words[0]);
  const auto device = words.size() < 2 ? std::nullopt : identity_of_words(std::span(words).subspan(2));
  if (!action || !device || fcntl(socket_fd, F_GETFD) < 0) return EXIT_FAILURE;
  fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
  const pid_t agent = unasked ? 0 : helper::start_agent();
  QCoreApplication application(count, arguments);
  if (unasked && !helper::is_allowed(*action)) return EXIT_FAILURE;
  const helper::Authorization authorization(
      {.action = *action, .device = *device, .max_sectors_kib = std::strtoull(words[1].c_str(), nullptr, 10)},
      Descriptor(socket_fd));
  QObject::connect(&authorization, &helper::Authorization::answered, &application, &QCoreApplication::quit);
  const int code = QCoreApplication::exec();
  if (agent > 0) kill(agent, SIGTERM);
  return code;
}
