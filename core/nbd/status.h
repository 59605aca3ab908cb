// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/nbd/server.h"

namespace disklathe::nbd {

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
std::string answer_about(Server& server, const ServedPlace& place, std::string_view question);

}  // namespace disklathe::nbd
