// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/device/identity_words.h"
#include "core/format/reference_path.h"

namespace disklathe::job {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned nobody = 65534;  // the kernel's own number for it (overflowuid)
constexpr int look_every = 50;      // milliseconds, where nothing wakes who waits for a stop
constexpr std::chrono::milliseconds stop_patience{150};

// The same open file O_DIRECT; none where its file system has no such thing, or `cache` never wants it.
Descriptor direct_twin(int fd, bool writable, CacheMode cache) {
  if (cache == CacheMode::writeback || cache == CacheMode::unsafe) return {};
  const int flags = (writable ? O_RDWR : O_RDONLY) | (writable && cache == CacheMode::directsync ? O_DSYNC : 0);
  return Descriptor(open(fmt::format("/proc/self/fd/{}", fd).c_str(), flags | O_DIRECT | O_CLOEXEC));
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return fmt::format("it ended with {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGSYS) return "it was ended for a system call that it may not make";
  const char* name = sigabbrev_np(signal);
  return fmt::format("it was ended by signal {} (SIG{})", signal, name ? name : "?");
}

// False: it still runs.
bool wait_for(pid_t pid, std::chrono::milliseconds patience, int& status) {
  const Clock::time_point until = Clock::now() + patience;
  while (true) {
    const pid_t waited = waitpid(pid, &status, WNOHANG);
    if (waited > 0 || (waited < 0 && errno != EINTR)) return true;
    if (Clock::now() >= until) return false;
    usleep(1000);
  }
}

}  // namespace

Result<void> Handover::add(Role role, const FileDevice& device, bool writable, CacheMode cache) {
  Descriptor direct = direct_twin(device.descriptor(), writable, cache);
  if (!direct.open() && (cache == CacheMode::none || cache == CacheMode::directsync)) {
    Error error = os_failure(errno == EINVAL ? EOPNOTSUPP : errno, "open", device.name());
    error.cause = "direct I/O was asked for";
    return failure(std::move(error));
  }
  files_.push_back({.role = role,
                    .name = std::string(device.name()),
                    .writable = writable,
                    .cache = cache,
                    .direct = direct.open()});
  if (writable && device.is_block_device())
    if (const auto identity = identity_of_descriptor(device.descriptor())) files_.back().device = words_of(*identity);
  descriptors_.push_back(device.descriptor());
  if (!direct.open()) return {};
  descriptors_.push_back(direct.get());
  own_.push_back(std::move(direct));
  return {};
}

Result<void> Handover::add(Role role, TargetFile& target, CacheMode cache) {
  if (auto added = add(role, target.device(), true, cache); !added) return added;
  files_.back().replaces = target.replaces();
  return {};
}

void Handover::add_pipe(int fd, std::string name) {
  files_.push_back({.role = Role::source, .name = std::move(name)});
  descriptors_.push_back(fd);
}

void Handover::add_granted(GivenFile file) {
  file.granted = true;
  files_.push_back(std::move(file));
}

void Handover::add_listener(int fd, std::string name) {
  files_.push_back({.role = Role::listener, .name = std::move(name)});
  descriptors_.push_back(fd);
}

void Handover::add_control(int fd) {
  files_.push_back({.role = Role::control, .name = "control"});
  descriptors_.push_back(fd);
}

Result<std::unique_ptr<Client>> Client::start(const Spec& spec, std::span<const int> descriptors, Launch launch) {
  auto sockets = make_socket_pair();
  if (!sockets) return failure(sockets);
  launch.socket = sockets->worker.get();
  launch.orphan = false;
  // What a worker needs of its user is only not to be root: its files are open.
  if (geteuid() == 0 && !launch.uid) {
    launch.uid = nobody;
    launch.gid = nobody;
  }
  const auto pid = launch_worker(launch);
  if (!pid) return std::unexpected(pid.error());
  auto client = std::unique_ptr<Client>(new Client(std::move(sockets->client), *pid));
  sockets->worker = {};
  // A worker that ended already is told of by take().
  if (auto begun = client->begin(spec, descriptors); !begun && begun.error().kind != ErrorKind::vanished)
    return failure(begun);
  return client;
}

std::unique_ptr<Client> Client::connect(Descriptor socket) {
  return std::unique_ptr<Client>(new Client(std::move(socket), 0));
}

Result<void> Client::begin(const Spec& spec, std::span<const int> descriptors) {
  remember(spec);
  return channel_.send(Start{.spec = spec}, descriptors);
}

void Client::remember(const Spec& spec) {
  kind_ = spec.kind();
  const auto* convert = std::get_if<Convert>(&spec.work);
  for (const GivenFile& file : spec.files) {
    images_.push_back(file.name);
    if (convert && convert->existing && file.role == Role::target) mixed_ = file.name;
  }
}

Client::~Client() {
  if (pid_ == 0 || kept_) return;
  // The worker sees the end of the connection.
  {
    const ClientChannel closed = std::move(channel_);
  }
  int status = 0;
  if (wait_for(pid_, stop_patience, status)) return;
  ::kill(pid_, SIGKILL);
  wait_for(pid_, std::chrono::seconds(1), status);
}

Client::Event Client::end(Error error) {
  ended_ = true;
  if (error.kind == ErrorKind::vanished) {
    error = {.kind = ErrorKind::crashed, .operation = "run", .subject = "", .cause = "it said nothing"};
    int status = 0;
    if (pid_ != 0 && wait_for(pid_, stop_patience, status)) {
      pid_ = 0;
      error.cause = how_it_ended(status);
    }
  } else {
    kill();  // nothing that it says can be believed
  }
  Ended ended{failure(std::move(error))};
  auto note = unsaid();
  if (!note) return ended;
  end_ = std::move(ended);
  return std::move(*note);
}

std::optional<Note> Client::unsaid() const {
  if (!went_ || mixed_.empty()) return std::nullopt;
  return Note{.kind = Note::Kind::target_mixed, .subject = mixed_};
}

std::optional<Client::Event> Client::take() {
  if (end_) return std::exchange(end_, std::nullopt);
  if (ended_) return std::nullopt;
  auto received = channel_.receive();
  if (!received) return end(std::move(received.error()));
  if (!*received) return std::nullopt;
  FromWorker& message = (*received)->message;
  if (auto* done = std::get_if<Done>(&message)) {
    if (kind_ && done->outcome.index() != static_cast<size_t>(*kind_))
      return end(failure(ErrorKind::invalid, "receive", "the outcome of another kind of job").error());
    ended_ = true;
    return Ended{std::move(done->outcome)};
  }
  if (auto* failed = std::get_if<Failed>(&message)) {
    ended_ = true;
    return Ended{failure(std::move(failed->error))};
  }
  if (auto* attached = std::get_if<Attached>(&message)) {
    remember(attached->spec);
    went_ = true;
    attached_ = std::move((*received)->descriptors);
    return std::move(*attached);
  }
  if (auto* hello = std::get_if<Hello>(&message)) {
    if (hello->version != protocol_version)
      return end(failure(ErrorKind::invalid, "receive", "a worker of another release").error());
    return std::move(*hello);
  }
  if (auto* reading = std::get_if<Reading>(&message)) return *reading;
  if (auto* note = std::get_if<Note>(&message)) {
    if (note->kind == Note::Kind::target_mixed) mixed_.clear();
    return std::move(*note);
  }
  if (auto* question = std::get_if<Question>(&message)) {
    if (!may_ask(*question))
      return end(failure(ErrorKind::invalid, "receive", "a question about a file that no image here names").error());
    return std::move(*question);
  }
  return std::move(std::get<Piece>(message));
}

bool Client::may_ask(const Question& question) const {
  return std::ranges::contains(images_, question.image) &&
         question.path == resolve_reference(question.image, question.reference.name);
}

Result<void> Client::go() {
  went_ = true;
  return channel_.send(Go{});
}
Result<void> Client::stop() { return channel_.send(StopJob{}, {}, std::chrono::milliseconds(0)); }
Result<void> Client::pause() { return channel_.send(Pause{}, {}, std::chrono::milliseconds(0)); }
Result<void> Client::resume() { return channel_.send(Resume{}, {}, std::chrono::milliseconds(0)); }

void Client::kill() {
  if (pid_ != 0) ::kill(pid_, SIGKILL);
}

Result<void> Client::answer(const Question& question, const FileDevice& device, CacheMode cache) {
  const Descriptor direct = direct_twin(device.descriptor(), false, cache);
  std::vector<int> descriptors{device.descriptor()};
  if (direct.open()) descriptors.push_back(direct.get());
  images_.push_back(question.path);
  return channel_.send(Answer{.id = question.id, .direct = direct.open(), .cache = cache}, descriptors);
}

Result<void> Client::refuse(const Question& question, Error why) {
  return channel_.send(Answer{.id = question.id, .refusal = std::move(why)});
}

Result<void> Client::keep(int listening) {
  auto kept = channel_.send(Keep{}, std::span(&listening, 1));
  kept_ = kept.has_value();
  return kept;
}
Result<void> Client::taken() {
  auto told = channel_.send(Taken{});
  if (told) kept_ = false;  // it ends now
  return told;
}

namespace {

void reply(Client& client, const Callbacks& callbacks, const Question& question) {
  auto opened = callbacks.open
                    ? callbacks.open(question)
                    : failure(Error{.kind = ErrorKind::refused, .operation = "open", .subject = question.path});
  // If it cannot be told the worker is gone, or stuck: its end is noticed.
  [[maybe_unused]] const auto told = opened ? client.answer(question, **opened, CacheMode::automatic)
                                            : client.refuse(question, std::move(opened.error()));
}

}  // namespace

std::optional<Result<Outcome>> handle(Client& client, Client::Event& event, const Callbacks& callbacks,
                                      Progress& progress) {
  if (auto* ended = std::get_if<Client::Ended>(&event)) return std::move(ended->result);
  if (const auto* hello = std::get_if<Hello>(&event)) {
    if (callbacks.hello) callbacks.hello(*hello);
    [[maybe_unused]] const auto went = client.go();  // its end is noticed too
  } else if (const auto* reading = std::get_if<Reading>(&event)) {
    apply(*reading, progress);
  } else if (const auto* note = std::get_if<Note>(&event)) {
    if (callbacks.note) callbacks.note(*note);
  } else if (const auto* question = std::get_if<Question>(&event)) {
    reply(client, callbacks, *question);
  } else if (const auto* piece = std::get_if<Piece>(&event)) {
    if (callbacks.piece) callbacks.piece(*piece);
  } else if (const auto* attached = std::get_if<Attached>(&event)) {
    if (callbacks.attached) callbacks.attached(*attached);
  }
  return std::nullopt;
}

Result<Outcome> run(Client& client, const Callbacks& callbacks, Progress& progress, const Stop& stop) {
  Clock::time_point deadline = Clock::time_point::max();
  while (true) {
    while (auto event = client.take()) {
      if (auto result = handle(client, *event, callbacks, progress)) return std::move(*result);
    }
    if (stop.requested() && deadline == Clock::time_point::max()) {
      [[maybe_unused]] const auto told = client.stop();  // there is a deadline
      deadline = Clock::now() + stop_patience;
    }
    if (Clock::now() >= deadline) {
      client.kill();
      if (const auto note = client.unsaid(); note && callbacks.note) callbacks.note(*note);
      return failure(ErrorKind::stopped, "run", "stopped on request");
    }
    const bool stopping = deadline != Clock::time_point::max();
    const int wake = stop.descriptor();
    pollfd watched[] = {{.fd = client.descriptor(), .events = POLLIN, .revents = 0},
                        {.fd = stopping ? -1 : wake, .events = POLLIN, .revents = 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int patience = stopping ? static_cast<int>(std::max<int64_t>(left.count(), 0)) : wake < 0 ? look_every : -1;
    poll(watched, 2, patience);
  }
}

}  // namespace disklathe::job
