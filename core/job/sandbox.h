// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/job/message.h"

namespace disklathe::job {

// How a worker locks itself in (docs/security.md). Each function is one layer, for the process that calls it and for
// good; an error means that the kernel has it and it could not be put on: the worker ends then. A kernel that does not
// have it is no error, and told in the layer. In this order, before there is a second thread; seal() is all but the
// first two.

// Another user, no groups, no capabilities, nothing to be gained by exec; not traced, no core dump. Root has to name
// somebody else to be.
Result<SandboxLayer> drop_rights(std::optional<uid_t> uid, gid_t gid);
Result<SandboxLayer> forbid_tracing();

struct Seal {
  uint64_t memory = 1ULL << 30;              // bytes of address space
  std::optional<std::chrono::seconds> time;  // of the processor; then the worker is ended
  bool accepts = false;                      // connections, on a socket that is given later
  unsigned serves = 0;                       // NBD clients, so many at a time (nbd/server), on sockets that listen
};
Result<SandboxLayer> limit_resources(const Seal& seal);
// Rings that can do nothing but move bytes; no others can be made.
Result<SandboxLayer> restrict_rings(const Seal& seal);
// No files but those that are open, no network, no signals or sockets to anybody outside.
Result<SandboxLayer> restrict_by_landlock();
// The system calls that the engine makes, with the arguments that it makes them with. Any other is refused with an
// error; those that only an attack makes end the process.
Result<SandboxLayer> restrict_by_seccomp(const Seal& seal);

Result<std::vector<SandboxLayer>> seal(const Seal& seal);

}  // namespace disklathe::job
