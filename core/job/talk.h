// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/io/io_backend.h"
#include "core/job/given.h"
#include "core/job/host.h"

namespace disklathe::job {

// What a worker's working thread and the talking one share.
class Talk final : public Host {
 public:
  // given: points into the spec.
  Talk(std::unique_ptr<const Spec> spec, std::vector<Given> given, WakeEvent wake)
      : spec_(std::move(spec)), given_(std::move(given)), wake_(std::move(wake)) {}

  // ---- for the working thread

  const Spec& spec() const override { return *spec_; }
  Result<std::unique_ptr<FileDevice>> take(Role role) override;
  int pipe(Role role) const override;
  const std::vector<DeviceAnswer>& answers(Role role) const override;
  std::vector<Descriptor> take_sockets(Role role) override;
  Result<std::unique_ptr<FileDevice>> again(Role role) override;
  Result<std::unique_ptr<FileDevice>> ask(Question question) override;
  void note(Note note) override;
  Result<void> piece(Piece piece) override;
  void finish(Result<Outcome> outcome);

  // ---- for the talking thread

  int wake_descriptor() const { return wake_.fd(); }
  // What the working thread wants to be said, in order.
  std::vector<FromWorker> take_messages();
  void answer(Answer answer, std::vector<Descriptor> descriptors);
  // Nobody will answer or listen any more.
  void abandon();
  std::optional<Question> open_question();
  std::optional<Result<Outcome>> outcome();
  // Of the files that the client gave to be written.
  std::vector<int> written_descriptors() const;

 private:
  struct Answered {
    Answer answer;
    std::vector<Descriptor> descriptors;
  };

  const Given* find(Role role) const;
  void say(FromWorker message, std::unique_lock<std::mutex>& lock);

  const std::unique_ptr<const Spec> spec_;
  std::vector<Given> given_;  // point into the spec
  const WakeEvent wake_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<FromWorker> waiting_;
  uint32_t last_question_ = 0;
  std::optional<Question> question_;
  std::optional<Answered> answer_;
  std::optional<Result<Outcome>> outcome_;
  bool over_ = false;
};

}  // namespace disklathe::job
