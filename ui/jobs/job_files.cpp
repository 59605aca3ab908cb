// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_files.h"

#include <sys/stat.h>

#include "ui/words/device_words.h"

namespace disklathe::ui {
namespace {

// A sweep measures devices, not this computer's memory.
CacheMode cache_of(const JobRequest& request) {
  return request.kind() == job::Kind::sweep ? CacheMode::none : CacheMode::automatic;
}

Error replaced_source(const JobRequest& request) {
  return {.kind = ErrorKind::vanished, .subject = request.source_name().toStdString()};
}

Error refused_device(const JobRequest& request, const Denial& denial) {
  Error error = denial.error;
  error.subject = request.target_name().toStdString();
  if (denial.reason == Denial::Reason::failed) return error;
  error.kind = denial.reason == Denial::Reason::held       ? ErrorKind::busy
               : denial.reason == Denial::Reason::replaced ? ErrorKind::vanished
                                                           : ErrorKind::refused;
  error.cause = DeviceWords::denial(denial).toStdString();
  return error;
}

// What the helper is to be asked for, where the user may not open the device of a job: its target, else its source.
std::optional<helper::Request> to_be_asked(const JobRequest& request) {
  using helper::Action;
  if (request.device) {
    if (request.kind() == job::Kind::convert) return helper::Request{Action::convert, request.device->identity};
    if (request.kind() == job::Kind::zero) return helper::Request{Action::zero, request.device->identity};
    if (request.kind() == job::Kind::sweep) return helper::Request{Action::sweep_write, request.device->identity};
    return std::nullopt;
  }
  const auto identity = identity_of(request.source.toStdString());
  if (!identity || (request.read && !is_still(request.read->disk, *identity))) return std::nullopt;
  switch (request.kind()) {
    case job::Kind::convert: return helper::Request{Action::convert_read, *identity};
    case job::Kind::inspect: return helper::Request{Action::inspect, *identity};
    case job::Kind::sweep: return helper::Request{Action::sweep_read, *identity};
    default: return std::nullopt;
  }
}

}  // namespace

Result<std::unique_ptr<FileDevice>> open_to_read(const QString& path, CacheMode cache) {
  return FileDevice::open({.path = path.toStdString(), .writable = false, .cache = cache});
}

std::shared_ptr<JobFiles> JobFiles::open(const JobRequest& request) {
  auto files = std::make_shared<JobFiles>();
  auto& error = files->error;
  if (!request.source.isEmpty()) files->open_source(request);
  if (!error && !request.other.isEmpty() && files->take_over(open_to_read(request.other), files->other))
    files->hand(job::Role::other, *files->other, false, CacheMode::automatic);
  if (!error && !request.target.isEmpty()) files->open_target(request);
  if (!error && !files->granted) {
    const job::Spec spec{.files = files->handover.files(), .work = request.work};
    files->take_over(job::Client::start(spec, files->handover.descriptors()), files->client);
  }
  return files;
}

void JobFiles::open_source(const JobRequest& request) {
  const CacheMode cache = cache_of(request);
  if (!take_over(open_to_read(request.source, cache), source)) {
    if (!request.device) ask_helper(request, request.source);
    return;
  }
  if (request.read) {
    const auto now = identity_of_descriptor(source->descriptor());
    if (!now || !is_still(request.read->disk, *now)) error = replaced_source(request);
  }
  if (!error) hand(job::Role::source, *source, false, cache);
}

void JobFiles::open_target(const JobRequest& request) {
  const CacheMode cache = cache_of(request);
  if (!request.device) {
    if (take_over(TargetFile::create(request.target.toStdString(), cache), fresh))
      hand(job::Role::target, fresh->device(), true, cache);
  } else if (auto opened = open_chosen(*request.device, cache)) {
    device = std::move(*opened);
    hand(job::Role::target, *device, true, cache);
  } else {
    error = refused_device(request, opened.error());
    ask_helper(request, request.target);
  }
  const auto* convert = std::get_if<job::Convert>(&request.work);
  if (error || !convert) return;
  const auto named = convert->options.find("data_file");
  if (named != convert->options.end() && take_over(TargetFile::create(named->second, cache), data))
    hand(job::Role::data, data->device(), true, cache);
}

void JobFiles::ask_helper(const JobRequest& request, const QString& name) {
  if (error->kind != ErrorKind::permission) return;
  granted = to_be_asked(request);
  if (!granted && request.read) error = replaced_source(request);
  if (!granted) return;
  handover.add_granted(helper::granted_file(granted->action, name.toStdString()));
  error.reset();
}

void JobFiles::hand(job::Role role, const FileDevice& file, bool writable, CacheMode cache) {
  if (auto handed = handover.add(role, file, writable, cache); !handed) error = std::move(handed.error());
}

template <class T>
bool JobFiles::take_over(Result<T> result, T& into) {
  if (result)
    into = std::move(*result);
  else
    error = std::move(result.error());
  return result.has_value();
}

int JobFiles::device_descriptor() const {
  if (device) return device->descriptor();
  return kept && !written.empty() ? written.front().get() : -1;
}

uint64_t JobFiles::taken() const {
  struct stat status{};
  if (!fresh || fstat(fresh->device().descriptor(), &status) != 0) return 0;
  return static_cast<uint64_t>(status.st_blocks) * 512;
}

void JobFiles::hand_on() {
  for (TargetFile* file : {fresh.get(), data.get()})
    if (file) file->hand_on();
}

}  // namespace disklathe::ui
