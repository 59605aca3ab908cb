// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/helper_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "app/cli/device_target.h"
#include "app/cli/notes.h"
#include "core/device/identity_words.h"

namespace disklathe::cli {
namespace {

constexpr int undo_patience = 1000;  // milliseconds

// Installed beside the workers.
std::string authorize_program() {
  const std::string worker = job::worker_program();
  return worker.substr(0, worker.rfind('/') + 1) + "disklathe-authorize";
}

}  // namespace

// disklathe-authorize, which asks for this process and ends when it has an answer. On this terminal, as it may have to
// ask there.
class HelperClient::Asker {
 public:
  static Result<std::unique_ptr<Asker>> start(const HelperRequest& request, int socket) {
    std::vector<std::string> words{authorize_program()};
    if (request.unasked) words.emplace_back("--unasked");
    words.emplace_back(request.action);
    words.push_back(std::to_string(request.max_sectors_kib));
    for (std::string& word : words_of(request.device)) words.push_back(std::move(word));
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
    return std::unique_ptr<Asker>(new Asker(pid));
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() {
    kill(pid_, SIGTERM);  // and with it goes the question on the screen
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

 private:
  explicit Asker(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

HelperClient::HelperClient(std::string path, std::unique_ptr<Asker> asker, std::unique_ptr<job::Client> client)
    : path_(std::move(path)), asker_(std::move(asker)), client_(std::move(client)) {}
HelperClient::HelperClient(HelperClient&&) noexcept = default;
HelperClient::~HelperClient() = default;

Result<HelperClient> HelperClient::ask(const HelperRequest& request) {
  auto sockets = job::make_socket_pair();
  if (!sockets) return failure(sockets);
  auto asker = Asker::start(request, sockets->worker.get());
  if (!asker) return failure(asker);
  return HelperClient(request.path, std::move(*asker), job::Client::connect(std::move(sockets->client)));
}

// The helper's facts, in the words of who looks at the device from here.
Error HelperClient::in_words(Error error) const {
  if (error.kind == ErrorKind::busy || error.kind == ErrorKind::refused)
    if (auto again = choose_target_device(path_); !again) return std::move(again.error());
  if (error.kind == ErrorKind::crashed)
    error = {.kind = ErrorKind::io, .operation = "ask for", .cause = "no answer came"};
  error.subject = path_;
  return error;
}

bool needs_helper(const std::string& path, bool writes) {
  struct stat status{};
  if (geteuid() == 0 || stat(path.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return false;
  if (faccessat(AT_FDCWD, path.c_str(), writes ? R_OK | W_OK : R_OK, AT_EACCESS) == 0 || errno != EACCES) return false;
  return access(authorize_program().c_str(), X_OK) == 0;
}

job::GivenFile granted_file(job::Role role, const std::string& path, const Identity& device, CacheMode cache) {
  return {.role = role,
          .name = path,
          .writable = role == job::Role::target,
          .cache = cache,
          .direct = true,
          .device = words_of(device),
          .granted = true};
}

Result<job::Outcome> run_by_helper(const HelperRequest& request, const job::Spec& spec,
                                   std::span<const int> descriptors, job::Callbacks callbacks, Job& job) {
  auto helper = HelperClient::ask(request);
  if (!helper) return failure(helper);
  if (auto begun = helper->client().begin(spec, descriptors); !begun && begun.error().kind != ErrorKind::vanished)
    return failure(begun);
  bool started = false;
  job.asking = true;
  callbacks.hello = [&](const job::Hello&) {
    started = true;
    job.asking = false;
  };
  auto outcome = job::run(helper->client(), callbacks, job.progress, job.stop);
  job.asking = false;
  if (outcome || started || outcome.error().kind == ErrorKind::stopped) return outcome;
  return failure(helper->in_words(std::move(outcome.error())));
}

Result<HelperClient> done_by_helper(const HelperRequest& request, Job& job) {
  auto helper = HelperClient::ask(request);
  if (!helper) return helper;
  job.asking = true;
  Result<void> answered = [&]() -> Result<void> {
    while (!job.stop.requested()) {
      while (auto event = helper->client().take()) {
        if (std::holds_alternative<job::Hello>(*event)) return {};
        if (auto* ended = std::get_if<job::Client::Ended>(&*event))
          return failure(helper->in_words(std::move(ended->result.error())));
      }
      pollfd watched[] = {{.fd = helper->client().descriptor(), .events = POLLIN, .revents = 0},
                          {.fd = job.stop.descriptor(), .events = POLLIN, .revents = 0}};
      poll(watched, 2, -1);
    }
    return failure(ErrorKind::stopped, "ask for", {});
  }();
  job.asking = false;
  if (!answered) return failure(answered);
  return helper;
}

void undo_by_helper(HelperClient tuned) {
  const int socket = tuned.client().descriptor();
  shutdown(socket, SHUT_WR);
  pollfd watched{.fd = socket, .events = POLLRDHUP, .revents = 0};
  poll(&watched, 1, undo_patience);
}

Result<job::Inspection> inspect_by_helper(const std::string& path, const job::Inspect& asked,
                                          const decltype(job::Callbacks::open)& open, Job& job) {
  const auto identity = identity_of(path);
  if (!identity) return std::unexpected(identity.error());
  const job::Spec spec{.files = {granted_file(job::Role::source, path, *identity, CacheMode::automatic)},
                       .work = asked};
  auto outcome = run_by_helper({.action = "inspect", .path = path, .device = *identity}, spec, {},
                               {.note = print_note, .open = open}, job);
  if (!outcome) return failure(outcome);
  return std::get<job::Inspection>(std::move(*outcome));
}

}  // namespace disklathe::cli
