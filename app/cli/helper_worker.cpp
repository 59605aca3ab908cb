// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/helper_worker.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/cli/device_target.h"
#include "core/device/identity_words.h"

namespace disklathe::cli {
namespace {

// Installed beside the workers.
std::string authorize_program() {
  const std::string worker = job::worker_program();
  return worker.substr(0, worker.rfind('/') + 1) + "disklathe-authorize";
}

// disklathe-authorize, which asks for this process and ends when it has an answer. On this terminal, as it may have to
// ask there.
class Asker {
 public:
  static Result<Asker> start(std::string_view action, const Identity& device, int socket) {
    std::vector<std::string> words{authorize_program(), std::string(action), "0"};
    for (std::string& word : words_of(device)) words.push_back(std::move(word));
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // Signals that this program waits for are blocked in it; there they end the question.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, 3);
    posix_spawn_file_actions_addclosefrom_np(&files, 4);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) return failure(os_failure(error, "start", words[0]));
    return Asker(pid);
  }
  Asker(Asker&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Asker& operator=(Asker&&) = delete;
  ~Asker() {
    if (pid_ < 0) return;
    kill(pid_, SIGTERM);  // and with it goes the question on the screen
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

 private:
  explicit Asker(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

// The helper's facts, in the words of who looks at the device from here.
Error in_words(Error error, const std::string& path) {
  if (error.kind == ErrorKind::busy || error.kind == ErrorKind::refused)
    if (auto again = choose_target_device(path); !again) return std::move(again.error());
  if (error.kind == ErrorKind::crashed)
    error = {.kind = ErrorKind::io, .operation = "ask for", .cause = "no answer came"};
  error.subject = path;
  return error;
}

}  // namespace

bool needs_helper(const std::string& path, bool writes) {
  struct stat status{};
  if (geteuid() == 0 || stat(path.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return false;
  if (faccessat(AT_FDCWD, path.c_str(), writes ? R_OK | W_OK : R_OK, AT_EACCESS) == 0 || errno != EACCES) return false;
  return access(authorize_program().c_str(), X_OK) == 0;
}

job::GivenFile granted_file(job::Role role, const std::string& path, CacheMode cache) {
  return {.role = role,
          .name = path,
          .writable = role == job::Role::target,
          .cache = cache,
          .direct = true,
          .granted = true};
}

Result<job::Outcome> run_by_helper(std::string_view action, const std::string& path, const Identity& device,
                                   const job::Spec& spec, std::span<const int> descriptors, job::Callbacks callbacks,
                                   Job& job) {
  auto sockets = job::make_socket_pair();
  if (!sockets) return failure(sockets);
  auto asker = Asker::start(action, device, sockets->worker.get());
  if (!asker) return failure(asker);
  sockets->worker = {};
  const auto client = job::Client::connect(std::move(sockets->client));
  if (auto begun = client->begin(spec, descriptors); !begun && begun.error().kind != ErrorKind::vanished)
    return failure(begun);
  bool started = false;
  job.asking = true;
  callbacks.hello = [&](const job::Hello&) {
    started = true;
    job.asking = false;
  };
  auto outcome = job::run(*client, callbacks, job.progress, job.stop);
  job.asking = false;
  if (outcome || started || outcome.error().kind == ErrorKind::stopped) return outcome;
  return failure(in_words(std::move(outcome.error()), path));
}

}  // namespace disklathe::cli
