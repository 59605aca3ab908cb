// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/talk.h"

#include <algorithm>
#include <utility>

namespace disklathe::job {
namespace {

constexpr size_t most_waiting = 64;  // messages of the working thread, before it has to wait

}  // namespace

Result<std::unique_ptr<FileDevice>> Talk::take(Role role) {
  for (Given& given : given_)
    if (given.file->role == role && given.device) return std::move(given.device);
  return failure(ErrorKind::invalid, "open", "it is no file or device, or not given");
}

int Talk::pipe(Role role) const {
  const Given* given = find(role);
  return given && given->pipe() ? given->fd.get() : -1;
}

const std::vector<DeviceAnswer>& Talk::answers(Role role) const {
  static const std::vector<DeviceAnswer> none;
  const Given* given = find(role);
  return given ? given->answers : none;
}

std::vector<Descriptor> Talk::take_sockets(Role role) {
  std::vector<Descriptor> sockets;
  for (Given& given : given_)
    if (given.file->role == role) sockets.push_back(std::move(given.fd));
  return sockets;
}

Result<std::unique_ptr<FileDevice>> Talk::again(Role role) {
  const Given* given = find(role);
  if (!given) return failure(ErrorKind::invalid, "open", "it was not given");
  const CacheMode cache = given->direct.open() ? CacheMode::none : CacheMode::writeback;
  return FileDevice::adopt(copy_of(given->fd), given->file->name, false, cache, copy_of(given->direct));
}

Result<std::unique_ptr<FileDevice>> Talk::ask(Question question) {
  std::unique_lock lock(mutex_);
  question.id = ++last_question_;
  question_ = question;
  answer_.reset();
  say(question, lock);
  changed_.wait(lock, [&] { return answer_.has_value() || over_; });
  question_.reset();
  if (!answer_) return failure(ErrorKind::stopped, "open", {});
  Answered answered = std::move(*answer_);
  answer_.reset();
  lock.unlock();
  if (answered.answer.refusal) return failure(std::move(*answered.answer.refusal));
  const int direct = answered.answer.direct ? copy_of(answered.descriptors[1]) : -1;
  return FileDevice::adopt(copy_of(answered.descriptors[0]), question.path, false, answered.answer.cache, direct);
}

void Talk::note(Note note) {
  std::unique_lock lock(mutex_);
  say(std::move(note), lock);
}

Result<void> Talk::piece(Piece piece) {
  std::unique_lock lock(mutex_);
  say(std::move(piece), lock);
  if (over_) return failure(ErrorKind::stopped, "map", {});
  return {};
}

void Talk::finish(Result<Outcome> outcome) {
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  wake_.raise();
}

std::vector<FromWorker> Talk::take_messages() {
  const std::lock_guard lock(mutex_);
  wake_.drain();
  changed_.notify_all();
  return std::exchange(waiting_, {});
}

void Talk::answer(Answer answer, std::vector<Descriptor> descriptors) {
  const std::lock_guard lock(mutex_);
  if (!question_ || question_->id != answer.id || answer_) return;  // nobody asked
  answer_ = Answered{std::move(answer), std::move(descriptors)};
  changed_.notify_all();
}

void Talk::abandon() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

std::optional<Question> Talk::open_question() {
  const std::lock_guard lock(mutex_);
  return question_;
}

std::optional<Result<Outcome>> Talk::outcome() {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

std::vector<int> Talk::written_descriptors() const {
  std::vector<int> descriptors;
  for (const Given& given : given_)
    if (given.file->writable && !given.file->granted) descriptors.push_back(given.fd.get());
  return descriptors;
}

void Talk::say(FromWorker message, std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return waiting_.size() < most_waiting || over_; });
  waiting_.push_back(std::move(message));
  wake_.raise();
}

const Given* Talk::find(Role role) const {
  const auto found = std::ranges::find_if(given_, [role](const Given& given) { return given.file->role == role; });
  return found == given_.end() ? nullptr : &*found;
}

}  // namespace disklathe::job
