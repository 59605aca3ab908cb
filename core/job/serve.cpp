// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads: the one that was there first talks, the other works. What the second has to say goes through the first,
// so that nobody waits for a client that does not listen.
#include "core/job/serve.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/base/version.h"
#include "core/engine/digest.h"
#include "core/job/channel.h"
#include "core/job/sandbox.h"
#include "core/job/talk.h"

namespace disklathe::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds start_patience = std::chrono::seconds(30);
// Between two readings: twice as long after each, from the first to the second. Many jobs are short, and a client waits
// for a job to begin.
constexpr milliseconds first_pause{10}, longest_pause{200};
constexpr milliseconds phase_look{20};
constexpr milliseconds stop_patience{60};  // for work under way that somebody waits for; then the process ends with it
constexpr milliseconds result_patience = std::chrono::hours(24);  // until somebody takes a kept job's
constexpr milliseconds last_word_patience = std::chrono::seconds(10);
constexpr size_t most_notes = 64;  // kept for the next client

// Who made the other end.
std::optional<uid_t> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

// ---- before the seal

// The first message, whoever is late.
Result<WorkerChannel::Received> receive_start(WorkerChannel& channel) {
  const Clock::time_point until = Clock::now() + start_patience;
  while (true) {
    auto received = channel.receive();
    if (!received) return failure(received);
    if (*received) return std::move(**received);
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now()).count();
    pollfd watched{.fd = channel.descriptor(), .events = POLLIN, .revents = 0};
    if (left <= 0 || poll(&watched, 1, static_cast<int>(left)) < 0)
      return failure(ErrorKind::vanished, "start", "nobody says what to do");
  }
}

std::unexpected<Error> invalid(const char* cause) { return failure(ErrorKind::invalid, "start", cause); }

// What kind of job may take how much.
Seal seal_for(const Spec& spec) {
  constexpr uint64_t least_memory = 1ULL << 30;
  constexpr std::chrono::seconds time_to_look{60};
  Seal seal{.memory = least_memory, .accepts = true};
  if (const auto* convert = std::get_if<Convert>(&spec.work)) seal.memory += 2 * convert->most_window;
  if (const auto* checksum = std::get_if<Checksum>(&spec.work)) seal.memory += 2 * checksum->most_window;
  if (const auto* inspect = std::get_if<Inspect>(&spec.work)) {
    seal.memory += 2 * inspect->most_window;
    seal.time = time_to_look;
  }
  if (const auto* shown = std::get_if<Export>(&spec.work)) seal.serves = shown->connections;
  return seal;
}

// ---- after it

// The talking thread. Of a kept job the client may go, and another come.
class Conversation {
 public:
  Conversation(WorkerChannel channel, uid_t owner, Talk& talk, Hello hello, Performer performer)
      : channel_(std::move(channel)), owner_(owner), talk_(talk), hello_(std::move(hello)), performer_(performer) {}

  // Nothing is read or written before. False: it was stopped.
  bool wait_for_go() {
    send(hello_);
    while (!go_ && !over()) {
      watch(milliseconds(-1));
      take_all();
    }
    if (over()) tell(failure(ErrorKind::stopped, "run", "stopped on request"));
    return !over();
  }

  // Until a client has been told how it ended.
  void run() {
    began_ = stop_.clock().now();
    std::thread work([this] { talk_.finish(performer_(talk_, progress_, stop_)); });
    std::optional<Result<Outcome>> outcome;
    while (!outcome) {
      outcome = talk_.outcome();
      note_phase();
      pass_on();
      if (outcome) break;
      tell_progress();
      // Nobody is there to be told; or it is stuck in a call, or in an image.
      if (over() && (!channel_ || Clock::now() >= deadline_)) _exit(EXIT_SUCCESS);
      watch(over() ? left_until(deadline_) : channel_ ? std::min(left_until(next_reading_), phase_look) : phase_look);
      take_all();
    }
    work.join();
    ran_ = elapsed();
    send(look_at(progress_));  // how far it came
    tell_until_taken(*outcome);
  }

 private:
  bool over() const { return stop_.requested(); }

  static milliseconds left_until(Clock::time_point time) {
    return std::max(std::chrono::ceil<milliseconds>(time - Clock::now()), milliseconds(0));
  }

  // A kept job's result is told until somebody has taken it: who was told may end before it is made use of. Whose job
  // is not kept can say so as long as it is there: it may not have heard yet when it said so.
  void tell_until_taken(const Result<Outcome>& outcome) {
    const Clock::time_point since = Clock::now();
    const auto left = [&] {
      const milliseconds patience = listening_.open() ? result_patience : last_word_patience;
      return left_until(since + patience);
    };
    bool told = tell(outcome);
    while (!taken_ && !over() && left().count() > 0) {
      if (!channel_) told = false;
      watch(left());
      take_all();
      if (channel_ && !told) told = tell(outcome);
    }
  }

  void end() {
    if (over()) return;
    stop_.request();
    deadline_ = Clock::now() + stop_patience;
    talk_.abandon();
  }

  // The client is gone, or broke the protocol.
  void lose() {
    channel_.reset();
    if (!listening_.open()) end();
  }

  bool send(const FromWorker& message, std::span<const int> descriptors = {}) {
    if (!channel_) return false;
    auto sent = channel_->send(message, descriptors);
    if (sent || sent.error().kind == ErrorKind::invalid) return sent.has_value();
    lose();
    return false;
  }

  bool tell(const Result<Outcome>& outcome) {
    if (send(outcome ? FromWorker(Done{*outcome}) : FromWorker(Failed{outcome.error()}))) return true;
    // It is still there: what there is to say was too much.
    return send(Failed{failure(ErrorKind::unsupported, "tell", "there is more than a message holds").error()});
  }

  void watch(milliseconds patience) {
    pollfd watched[] = {{talk_.wake_descriptor(), POLLIN, 0},
                        {channel_ ? channel_->descriptor() : listening_.get(), POLLIN, 0}};
    const bool anybody = channel_ || listening_.open();
    poll(watched, anybody ? 2 : 1, static_cast<int>(patience.count()));
  }

  void take_all() {
    if (!channel_ && listening_.open()) welcome();
    while (channel_) {
      auto received = channel_->receive();
      if (!received) return lose();
      if (!*received) return;
      take(std::move(**received));
    }
  }

  void take(WorkerChannel::Received received) {
    if (std::holds_alternative<Go>(received.message)) {
      go_ = true;
    } else if (auto* answer = std::get_if<Answer>(&received.message)) {
      talk_.answer(std::move(*answer), std::move(received.descriptors));
    } else if (std::holds_alternative<StopJob>(received.message)) {
      end();
    } else if (std::holds_alternative<Pause>(received.message)) {
      stop_.pause();
      next_reading_ = {};  // says so at once
    } else if (std::holds_alternative<Resume>(received.message)) {
      stop_.resume();
      next_reading_ = {};
    } else if (std::holds_alternative<Keep>(received.message)) {
      listening_ = std::move(received.descriptors.front());
    } else if (std::holds_alternative<Taken>(received.message)) {
      taken_ = true;
    } else {
      lose();  // it does not keep to the protocol
    }
  }

  // The next client of a kept job: only its owner's.
  void welcome() {
    Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open() || peer_of(socket.get()) != owner_) return;
    channel_.emplace(std::move(socket));
    next_reading_ = {};
    const std::vector<int> descriptors = talk_.written_descriptors();
    send(hello_);
    send(Attached{.spec = talk_.spec(), .ran = ran_.value_or(elapsed()), .phases = phases_}, descriptors);
    for (const Note& note : notes_) send(note);
    if (ran_) send(look_at(progress_));
    if (const auto question = talk_.open_question()) send(*question);
  }

  // Since go, without pauses, in nanoseconds.
  uint64_t elapsed() const { return static_cast<uint64_t>((stop_.clock().now() - began_).count()); }

  // For the next client. Each phase once: a job that has verified flushes once more.
  void note_phase() {
    const Phase phase = progress_.phase;
    if (!std::ranges::contains(phases_, phase, &Attached::PhaseBegan::phase))
      phases_.push_back({.phase = phase, .at = elapsed()});
  }

  void pass_on() {
    for (FromWorker& message : talk_.take_messages()) {
      if (const auto* note = std::get_if<Note>(&message); note && notes_.size() < most_notes)
        notes_.push_back(*note);  // for the next client; a question is asked again
      send(message);
    }
  }

  void tell_progress() {
    // A new phase is told at once: when phases begin and end is what their times are taken from.
    const Phase phase = progress_.phase;
    if (over() || !channel_ || (Clock::now() < next_reading_ && phase == told_phase_)) return;
    told_phase_ = phase;
    next_reading_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
    Reading reading = look_at(progress_);
    reading.paused = stop_.paused();
    // A client that does not listen just now misses one.
    if (auto told = channel_->send(reading, {}, milliseconds(0)); !told && told.error().kind != ErrorKind::busy) lose();
  }

  std::optional<WorkerChannel> channel_;  // nothing: a kept job without a client
  Descriptor listening_;
  const uid_t owner_;
  Talk& talk_;
  const Hello hello_;
  const Performer performer_;
  Progress progress_;
  Stop stop_;
  bool go_ = false, taken_ = false;
  disklathe::Clock::Time began_{0};
  std::optional<uint64_t> ran_;  // of work that has ended
  std::vector<Attached::PhaseBegan> phases_;
  std::vector<Note> notes_;  // all that there were
  Clock::time_point deadline_, next_reading_;
  milliseconds pause_ = first_pause;
  Phase told_phase_ = Phase::prepare;
};

// What is ready to be run, behind the seal.
struct Prepared {
  std::unique_ptr<Talk> talk;
  Hello hello;
};

Result<Prepared> prepare(WorkerChannel& channel, const WorkerOptions& options) {
  std::vector<SandboxLayer> layers;
  for (const auto& put_on : {drop_rights(options.uid, options.gid), forbid_tracing()}) {
    if (!put_on) return std::unexpected(put_on.error());
    layers.push_back(*put_on);
  }
  auto received = receive_start(channel);
  if (!received) return failure(received);
  auto* start = std::get_if<Start>(&received->message);
  if (!start) return invalid("the first message has to be the spec");
  if (options.only && *options.only != start->spec.kind())
    return invalid("this worker was started for another kind of job");
  if (auto fitting = check_files(start->spec); !fitting) return failure(fitting);
  auto wake = WakeEvent::create();
  if (!wake) return failure(wake);

  auto spec = std::make_unique<Spec>(std::move(start->spec));
  auto given = assign(*spec, std::move(received->descriptors), options.grants);
  if (!given) return failure(given);
  if (auto opened = open_devices(*given, spec->work); !opened) return failure(opened);
  // A library that is loaded on first use is a file that could not be opened later.
  if (std::holds_alternative<Checksum>(spec->work)) {
    [[maybe_unused]] const auto loaded = make_sha256();
  }
  auto sealed = seal(seal_for(*spec));
  if (!sealed) return failure(sealed);
  layers.insert(layers.end(), sealed->begin(), sealed->end());

  Prepared prepared;
  prepared.hello = {.program = std::string(version()), .kind = spec->kind(), .layers = std::move(layers)};
  prepared.talk = std::make_unique<Talk>(std::move(spec), std::move(*given), std::move(*wake));
  return prepared;
}

}  // namespace

int serve(const WorkerOptions& options, Performer performer) {
  if (options.orphan) {
    const pid_t child = fork();
    if (child != 0) return child < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow that large is an error, not an end
  const uid_t owner = peer_of(options.socket).value_or(static_cast<uid_t>(-1));
  WorkerChannel channel{Descriptor(options.socket)};
  auto prepared = prepare(channel, options);
  if (!prepared) {
    [[maybe_unused]] const auto told = channel.send(Failed{prepared.error()});
    return EXIT_FAILURE;
  }
  Conversation conversation(std::move(channel), owner, *prepared->talk, std::move(prepared->hello), performer);
  if (conversation.wait_for_go()) conversation.run();
  return EXIT_SUCCESS;
}

}  // namespace disklathe::job
