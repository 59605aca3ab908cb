// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/job/host.h"
#include "core/job/launch.h"

namespace disklathe::job {

// What the worker's command line says; see Launch. Descriptors are taken over.
struct WorkerOptions {
  int socket = -1;
  std::optional<uid_t> uid;
  gid_t gid = 0;
  std::optional<Kind> only;
  std::vector<Launch::Grant> grants;
  bool orphan = false;
};

// Nothing: launch_worker() has not written this command line.
std::optional<WorkerOptions> read_worker_options(std::span<char* const> words);

// What does the job.
using Performer = Result<Outcome> (*)(Host& host, Progress& progress, const Stop& stop);

// The whole life of a worker: drops every right, takes the spec, locks itself in, says hello, waits for go, performs,
// tells how it went. Returns what to exit with: 0 when the client has been told. To be called in a process that is
// for nothing else, before it has a second thread.
// performer: another one than perform() is for tests of what a job can do to its client at worst.
int serve(const WorkerOptions& options, Performer performer = perform);

}  // namespace disklathe::job
