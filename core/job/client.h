// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/device/file_device.h"
#include "core/device/target_file.h"
#include "core/io/stop.h"
#include "core/job/channel.h"
#include "core/job/launch.h"

namespace disklathe::job {

// The files of a spec and their descriptors, in the order in which they are sent. The descriptors of devices and pipes
// stay their owners', and must stay open until the spec is sent.
class Handover {
 public:
  // The direct descriptor that a worker cannot open is opened here, where `cache` may want one.
  Result<void> add(Role role, const FileDevice& device, bool writable, CacheMode cache);
  Result<void> add(Role role, TargetFile& target, CacheMode cache);
  void add_pipe(int fd, std::string name);  // as the source
  void add_granted(GivenFile file);         // the launcher gives the worker its descriptors
  void add_listener(int fd, std::string name);
  void add_control(int fd);

  const std::vector<GivenFile>& files() const { return files_; }
  const std::vector<int>& descriptors() const { return descriptors_; }

 private:
  std::vector<GivenFile> files_;
  std::vector<int> descriptors_;
  std::vector<Descriptor> own_;
};

// One job in a worker, from the side of who wants it done. No thread of its own: poll descriptor() for reading, then
// take() until it gives nothing.
//
//   Handover files;
//   files.add(Role::source, *image_file, false, CacheMode::automatic);
//   files.add(Role::target, *target_file, CacheMode::automatic);
//   auto client = Client::start({.files = files.files(), .work = Convert{.verify = true}}, files.descriptors());
//   ... take(): Hello -> (*client)->go(); Question -> answer() or refuse(); Ended -> its result; then commit().
//
// With a helper that opens the device instead: make_socket_pair(), hand pair.worker to the helper, which calls
// launch_worker(); Client::connect(pair.client) and begin() do the rest. No Hello after a while: nobody has started.
class Client {
 public:
  // The last event.
  struct Ended {
    Result<Outcome> result;  // `crashed`: the worker ended without a word
  };
  using Event = std::variant<Hello, Reading, Note, Question, Piece, Attached, Ended>;

  // Starts a worker as a child, and sends it the spec. launch.socket and launch.orphan are not looked at.
  static Result<std::unique_ptr<Client>> start(const Spec& spec, std::span<const int> descriptors, Launch launch = {});

  // To a worker that somebody else starts, or that runs already (attach()).
  static std::unique_ptr<Client> connect(Descriptor socket);
  Result<void> begin(const Spec& spec, std::span<const int> descriptors);

  // Stops the worker unless it is kept. A child is waited for, and killed when it does not end in time.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int descriptor() const { return channel_.descriptor(); }
  pid_t pid() const { return pid_; }  // of a child; 0: none

  // Nothing: there is nothing now, or Ended was given. Never blocks. A worker that asks for a file which no image of
  // this job can have named is not believed anything any more: a Question is about an image that it was given, and
  // about the path that the name leads to from there. Whether that is opened is the caller's decision.
  std::optional<Event> take();
  bool ended() const { return ended_; }

  // What was Attached: descriptors of the files the job writes, in the order of the spec.
  std::vector<Descriptor> take_attached() { return std::move(attached_); }

  Result<void> go();
  // It ends with an error `stopped` soon; kill() is for when it does not.
  Result<void> stop();
  void kill();
  // Holds the job back, and lets it go on: each reading says which it is. For work that is not itself a measurement.
  Result<void> pause();
  Result<void> resume();
  // What a worker that is killed, or gone, did not get to say of the target.
  std::optional<Note> unsaid() const;
  Result<void> answer(const Question& question, const FileDevice& device, CacheMode cache);
  Result<void> refuse(const Question& question, Error why);
  // From now on the job goes on without this client. listening: a Unix socket where the next one asks. At any time:
  // what has ended meanwhile is kept with its result.
  Result<void> keep(int listening);
  // Of a kept job that has ended: what it made has its name, and no other client needs to be told.
  Result<void> taken();

 private:
  explicit Client(Descriptor socket, pid_t pid) : channel_(std::move(socket)), pid_(pid) {}
  Event end(Error error);
  void remember(const Spec& spec);
  bool may_ask(const Question& question) const;

  ClientChannel channel_;
  pid_t pid_ = 0;
  std::optional<Kind> kind_;         // of the spec
  std::vector<std::string> images_;  // names of what the worker was given
  std::vector<Descriptor> attached_;
  std::string mixed_;  // the existing target that is neither old nor new when a worker ends without a word; empty: none
  std::optional<Ended> end_;  // given after the note about it
  bool went_ = false, ended_ = false, kept_ = false;
};

// What a caller that has a thread to spare does with a job's events. All are optional but `open`, without which every
// question is refused.
struct Callbacks {
  std::function<void(const Hello&)> hello;
  std::function<void(const Note&)> note;
  std::function<void(const Piece&)> piece;
  std::function<void(const Attached&)> attached;
  // The policy: the file that an image names, opened, or the error that says why not.
  std::function<Result<std::unique_ptr<FileDevice>>(const Question&)> open;
};

// What one event is to a caller with callbacks: says go after hello, answers questions, brings progress up to date. The
// result, when the event was Ended.
std::optional<Result<Outcome>> handle(Client& client, Client::Event& event, const Callbacks& callbacks,
                                      Progress& progress);

// Runs the job to its end. progress is kept up to date; stop is heard at once, and a worker that does not obey is
// killed.
Result<Outcome> run(Client& client, const Callbacks& callbacks, Progress& progress, const Stop& stop);

}  // namespace disklathe::job
