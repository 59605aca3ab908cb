// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_verdict.h"

#include <QFileInfo>
#include <QStorageInfo>

#include "core/device/after_write.h"
#include "core/job/kept.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {
namespace {

// Whether the device is not there any more, or another one, or without its medium.
bool is_gone(const ChosenDevice& chosen, const FileDevice* device) {
  if (device) {
    const auto same = still_chosen(chosen, device->descriptor());
    return !same && same.error().reason != Denial::Reason::failed;
  }
  const auto now = identity_of(chosen.path);  // the helper has it open
  return !now || !differences(chosen.identity, *now).empty();
}

// The same of a device that is read.
bool source_is_gone(const JobRequest& request, const JobFiles* files) {
  const auto now = files && files->source ? identity_of_descriptor(files->source->descriptor())
                                          : identity_of(request.source.toStdString());
  return !now || !is_still(request.read->disk, *now);
}

Result<void> name_files(const JobRequest& request, JobFiles& files) {
  const auto* convert = std::get_if<job::Convert>(&request.work);
  const bool scratch = request.kind() == job::Kind::sweep;  // of such a file nothing stays
  for (TargetFile* file : {files.data.get(), files.fresh.get()}) {
    if (!file || scratch) continue;
    if (auto named = file->commit(!convert || convert->durable); !named) return named;
  }
  return files.kept ? job::commit_attached(*files.kept, files.written) : Result<void>();
}

// Of a device that was written: whether it still is the one, and what the kernel makes of it.
Result<void> look_at_device(const JobRequest& request, int device, QStringList& notes) {
  if (!still_chosen(*request.device, device))
    return failure(Error{.kind = ErrorKind::vanished, .subject = request.target_name().toStdString()});
  if (!request.device->whole()) return {};
  const TableReread reread = reread_partition_table(device);
  if (reread == TableReread::busy || reread == TableReread::failed) notes << ResultWords::old_partitions();
  return {};
}

void judge_success(JobResult& result, job::Outcome outcome) {
  result.outcome = std::move(outcome);
  result.state = JobResult::State::read;
  if (const auto* converted = std::get_if<job::Converted>(&*result.outcome)) {
    result.state = converted->verified ? JobResult::State::verified : JobResult::State::written;
    result.bytes = converted->disk_size;
  }
  if (const auto* zeroed = std::get_if<job::Zeroed>(&*result.outcome)) {
    result.state = zeroed->all_read ? JobResult::State::verified : JobResult::State::written;
    if (!zeroed->nonzero_at) return;
    result.state = JobResult::State::differs;
    result.error = Error{.kind = ErrorKind::differs, .offset = zeroed->nonzero_at};
  }
}

void judge_failure(JobResult& result, const JobRequest& request, const JobFiles* files, Error error) {
  result.state = error.kind == ErrorKind::differs ? JobResult::State::differs : JobResult::State::failed;
  const bool by_kernel = error.kind == ErrorKind::io || error.kind == ErrorKind::no_space;
  if (by_kernel && request.device && is_gone(*request.device, files ? files->device.get() : nullptr))
    error.kind = ErrorKind::vanished;
  if (by_kernel && request.read && source_is_gone(request, files)) {
    error.kind = ErrorKind::vanished;
    error.subject = request.source_name().toStdString();
  }
  // A device is known by what is written on it, a file by its name.
  if (error.subject == request.source.toStdString()) error.subject = request.source_name().toStdString();
  if (error.subject.empty() || error.subject == request.target.toStdString())
    error.subject = request.target_name().toStdString();
  if (!request.device && request.writes()) {
    result.kept = QFileInfo::exists(request.target);
    const auto room = QStorageInfo(QFileInfo(request.target).absolutePath()).bytesAvailable();
    if (error.kind == ErrorKind::no_space && room >= 0)
      result.notes << ResultWords::room(static_cast<uint64_t>(room) + (files ? files->taken() : 0), result.bytes);
  }
  result.error = std::move(error);
}

}  // namespace

JobResult judge(JobResult result, const JobRequest& request, JobFiles* files, Result<job::Outcome> outcome) {
  if (outcome && files) {
    auto done = name_files(request, *files);
    const int device = files->device_descriptor();
    if (done && device >= 0 && request.device) done = look_at_device(request, device, result.notes);
    if (!done) outcome = failure(done);
  }
  if (!outcome && files && files->kept) job::discard_attached(*files->kept, files->written);
  if (outcome)
    judge_success(result, std::move(*outcome));
  else
    judge_failure(result, request, files, std::move(outcome.error()));
  return result;
}

}  // namespace disklathe::ui
