// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "core/device/descriptor.h"

namespace disklathe::job {
namespace {

constexpr int first_descriptor = 3;  // in the worker: the socket, then what is granted
constexpr int out_of_the_way = 64;   // where no number that the worker is to have is overwritten too early

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// What a sanitizer finds has to be seen; otherwise nothing of a caller's reaches a worker.
std::vector<std::string> environment() {
  std::vector<std::string> kept;
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const char* value = sanitized ? std::getenv(name) : nullptr) kept.push_back(fmt::format("{}={}", name, value));
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// The descriptors of the worker, by their numbers from first_descriptor on, and its command line.
struct Plan {
  std::vector<Descriptor> moved;
  std::vector<std::string> words;
};

Result<int> add(Plan& plan, int fd) {
  Descriptor moved(fcntl(fd, F_DUPFD_CLOEXEC, out_of_the_way));
  if (!moved.open()) return failure(os_failure(errno, "start", "worker"));
  plan.moved.push_back(std::move(moved));
  return first_descriptor + static_cast<int>(plan.moved.size()) - 1;
}

Result<Plan> plan_of(const Launch& launch, const std::string& program) {
  Plan plan;
  const auto socket = add(plan, launch.socket);
  if (!socket) return std::unexpected(socket.error());
  plan.words = {program, fmt::format("--socket-fd={}", *socket)};
  if (launch.uid) {
    plan.words.push_back(fmt::format("--uid={}", *launch.uid));
    plan.words.push_back(fmt::format("--gid={}", launch.gid));
  }
  if (launch.only) plan.words.push_back(fmt::format("--only={}", name_of(*launch.only)));
  if (launch.orphan) plan.words.emplace_back("--orphan");
  for (const Launch::Grant& grant : launch.grants) {
    const auto fd = add(plan, grant.fd);
    if (!fd) return std::unexpected(fd.error());
    std::string word = fmt::format("--grant={}:{}", name_of(grant.role), *fd);
    if (grant.direct_fd >= 0) {
      const auto direct = add(plan, grant.direct_fd);
      if (!direct) return std::unexpected(direct.error());
      word += fmt::format(":{}", *direct);
    }
    plan.words.push_back(std::move(word));
  }
  return plan;
}

// Nothing of it is async-signal-unsafe after the fork: posix_spawn() is safe where other threads are.
int spawn(const Plan& plan, const std::string& program, std::vector<std::string> words, pid_t& pid) {
  std::vector<std::string> variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!sanitized) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  for (int number = first_descriptor; const Descriptor& moved : plan.moved)
    posix_spawn_file_actions_adddup2(&actions, moved.get(), number++);
  posix_spawn_file_actions_addclosefrom_np(&actions, first_descriptor + static_cast<int>(plan.moved.size()));
  // No terminal's Ctrl-C, no blocked or ignored signals of the parent's.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string worker_program() {
  std::array<char, PATH_MAX> own{};
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  std::string folder(own.data(), length > 0 ? static_cast<size_t>(length) : 0);
  folder.resize(folder.find_last_of('/') == std::string::npos ? 0 : folder.find_last_of('/'));
  for (const char* place : {"/disklathe-worker", "/../libexec/disklathe/disklathe-worker"})
    if (access((folder + place).c_str(), X_OK) == 0) return folder + place;
  return folder + "/disklathe-worker";
}

Result<pid_t> launch_worker(const Launch& launch) {
  const std::string program = launch.program.empty() ? worker_program() : launch.program;
  const auto plan = plan_of(launch, program);
  if (!plan) return std::unexpected(plan.error());
  pid_t pid = 0;
  if (const int error = spawn(*plan, program, plan->words, pid); error != 0)
    return failure(os_failure(error, "start", program));
  if (!launch.orphan) return pid;
  // It has left a child behind and ends at once.
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  return failure(ErrorKind::io, "start", "the worker ended at once");
}

}  // namespace disklathe::job
