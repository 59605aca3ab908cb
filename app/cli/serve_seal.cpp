// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_seal.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>

#include "core/job/sandbox.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace disklathe::cli {

Result<void> lock_in(const Serving& serving, const std::vector<nbd::Export*>& exports) {
  if (std::ranges::any_of(serving.images, [](const ServedImage& one) { return is_address(one.path); })) return {};
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check();  // which at the end would trace this process
#endif
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure(os_failure(errno, "lock in", "this server"));
  const job::Seal seal{.serves = serving.limits.connections};
  // Served from the page cache no client has a ring, and none can be made.
  if (std::ranges::any_of(exports, [](const nbd::Export* one) { return one->info().queued; })) {
    if (auto rings = job::restrict_rings(seal); !rings) return failure(rings);
  }
  if (auto files = job::restrict_by_landlock(); !files) return failure(files);
  if (auto calls = job::restrict_by_seccomp(seal); !calls) return failure(calls);
  return {};
}

}  // namespace disklathe::cli
