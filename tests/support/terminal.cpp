// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/terminal.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace disklathe::test {
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Terminal::Terminal(uid_t user, const std::vector<std::string>& words, const std::vector<int>& inherited) {
  master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 64> name{};
  if (master_ < 0 || unlockpt(master_) != 0 || ptsname_r(master_, name.data(), name.size()) != 0) return;
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (chown(name.data(), user, user) != 0) return;
  pid_ = fork();
  if (pid_ != 0) return;
  setsid();
  const int slave = open(name.data(), O_RDWR);  // becomes the controlling terminal
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(slave, stream);
  for (const int fd : inherited) fcntl(fd, F_SETFD, 0);
  if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0) _exit(126);
  setenv("TERM", "dumb", 1);
  execvp(argv[0], argv.data());
  _exit(127);
}

Terminal::~Terminal() {
  if (master_ >= 0) close(master_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

bool Terminal::read_some(milliseconds patience) {
  pollfd watched{.fd = master_, .events = POLLIN, .revents = 0};
  if (poll(&watched, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 4096> buffer{};
  const ssize_t count = read(master_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  shown_.append(buffer.data(), static_cast<size_t>(count));
  return true;
}

bool Terminal::wait_for(std::string_view text, milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (shown_.find(text) == std::string::npos) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    if (left.count() <= 0 || !read_some(left)) return false;
  }
  return true;
}

void Terminal::type(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  [[maybe_unused]] const ssize_t written = write(master_, text.data(), text.size());
}

bool Terminal::type_secret(std::string_view line) {
  termios settings{};
  for (int look = 0; look < 2000; ++look) {
    if (tcgetattr(master_, &settings) == 0 && (settings.c_lflag & ECHO) == 0) {
      type(line);
      return true;
    }
    usleep(1000);
  }
  return false;
}

int Terminal::wait(milliseconds patience) {
  const auto until = Clock::now() + patience;
  int status = 0;
  while (pid_ > 0 && Clock::now() < until) {
    while (read_some(milliseconds(0))) continue;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      while (read_some(milliseconds(0))) continue;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    usleep(2000);
  }
  return -1;
}

void Terminal::kill(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

}  // namespace disklathe::test
