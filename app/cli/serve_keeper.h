// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/descriptor.h"

namespace disklathe::cli {

// What a server that has locked itself in cannot do any more, done by a process of its own that stays outside: it runs
// the command of --run, and when the server is gone, however it went, ends that and removes the server's names.
class ServeKeeper {
 public:
  struct Duties {
    std::vector<std::string> names;  // files and sockets, then empty folders
    std::string command;             // empty: none
    std::string uri, socket;         // for the command's environment
  };
  static Result<ServeKeeper> start(const Duties& duties);

  int descriptor() const { return channel_.get(); }  // readable when the command has ended
  // Waits until all is done; the command's exit code as a shell tells it, 0 without one. One that still runs is sent
  // SIGTERM, and waited for.
  int finish();

 private:
  explicit ServeKeeper(Descriptor channel) : channel_(std::move(channel)) {}

  Descriptor channel_;
};

}  // namespace disklathe::cli
