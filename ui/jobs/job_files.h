// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/target_file.h"
#include "core/job/client.h"
#include "helper/client/authorization.h"
#include "ui/jobs/job_request.h"

namespace disklathe::ui {

// What a job holds open while it runs, and the worker that was handed it.
struct JobFiles {
  std::unique_ptr<FileDevice> source, other, device;
  std::unique_ptr<TargetFile> fresh, data;
  job::Handover handover;
  std::unique_ptr<job::Client> client;  // of a worker that has been started
  std::optional<Error> error;           // then nothing was started
  // The device that the user may not open: the helper has to, and it starts the worker.
  std::optional<helper::Request> granted;
  std::vector<Descriptor> written;  // of a kept job: what its worker gave back
  std::optional<job::Spec> kept;    // and what it is

  // Opens as the user what the request names, and starts the worker. For a thread: a disk that spins up takes seconds
  // to open, and a process that is started waits for its turn on the processor.
  static std::shared_ptr<JobFiles> open(const JobRequest& request);

  int device_descriptor() const;  // -1: the helper opened it, or there is none
  uint64_t taken() const;         // bytes that the unfinished target file takes, and gives back in a moment
  // The worker has the files of a job that goes on without its window; who attaches to it gives them their names.
  void hand_on();

 private:
  void open_source(const JobRequest& request);
  void open_target(const JobRequest& request);
  void ask_helper(const JobRequest& request, const QString& name);
  void hand(job::Role role, const FileDevice& file, bool writable, CacheMode cache);
  template <class T>
  bool take_over(Result<T> result, T& into);
};

// Of the user's own, to be read.
Result<std::unique_ptr<FileDevice>> open_to_read(const QString& path, CacheMode cache = CacheMode::automatic);

}  // namespace disklathe::ui
