// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/cli/open_files.h"
#include "app/cli/serve_exports.h"
#include "app/cli/serve_place.h"
#include "core/nbd/server.h"

namespace disklathe::cli {

// What `serve` was asked to do.
struct Serving {
  std::vector<ServedImage> images;
  OpenPolicy policy;
  ServePlace::Request place;
  std::string command, pid_file;
  bool once = false;
  nbd::ServerLimits limits;
  std::string certificates, keys;  // of TLS
  bool verify_clients = false, in_the_clear = false;
  unsigned expires = 0;  // seconds; 0: never
};

// Its process id into the file of --pid-file, when it is ready.
Result<void> write_pid_file(const std::string& path);

// Readable when so many seconds have passed.
Descriptor timer_of(unsigned seconds);

// Where the address reaches further than this machine, and nothing asks who comes: `refused`.
Result<void> is_no_danger(const Serving& serving, const ServePlace& place, bool tls);

// A device that this user may not open: the privileged helper has a worker serve it, while this process waits for what
// ends it. Returns what to exit with.
Result<int> serve_by_helper(const Serving& serving);

}  // namespace disklathe::cli
