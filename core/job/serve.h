// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/job/launch.h"

namespace disklathe::job {

// What the worker's command line says; see Launch. Descriptors are taken over.
struct WorkerOptions {
  int socket = -1;
  std::optional<uid_t> uid;
  gid_t gid = 0;
  std::optional<Kind> only;
  std::vector<Launch::Grant> grants;
};

// The whole life of a worker: drops every right, takes the spec, locks itself in, says hello, waits for go, performs,
// tells how it went. Returns what to exit with: 0 when the client has been told. To be called in a process that is
// for nothing else, before it has a second thread.
int serve(const WorkerOptions& options);

}  // namespace disklathe::job
