// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/nbd/server.h"

namespace disklathe::cli {

// What a server tells others of itself besides its clients.
struct ServedPlace {
  struct Export {
    std::string name, uri, path;
    uint64_t size = 0;
    bool writable = false;
  };
  std::vector<Export> exports;  // as the server has them
  std::string socket;           // absolute; empty: none
};

// The answer to a question on the control socket ("status", "revoke 3"), JSON on one line. Within Server::run().
std::string answer_about(nbd::Server& server, const ServedPlace& place, std::string_view question);

// The side of who asks: serve --status and --revoke.
struct StatusRequest {
  std::string which;               // a URI, a socket or a process; empty: all of this user's
  std::optional<unsigned> client;  // to be sent away
  bool json = false;
};
int run_serve_status(const StatusRequest& request);

}  // namespace disklathe::cli
