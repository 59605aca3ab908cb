// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace disklathe::cli {

// The side of who asks: serve --status and --revoke.
struct StatusRequest {
  std::string which;               // a URI, a socket or a process; empty: all of this user's
  std::optional<unsigned> client;  // to be sent away
  bool json = false;
};
int run_serve_status(const StatusRequest& request);

}  // namespace disklathe::cli
