// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/device/descriptor.h"

namespace disklathe::cli {

// A shell command that runs while the server does, with $uri (and $unixsocket) in its environment.
class ServedCommand {
 public:
  static Result<ServedCommand> start(const std::string& command, const std::string& uri, const std::string& socket);
  ServedCommand(ServedCommand&& other) noexcept;
  ServedCommand& operator=(ServedCommand&&) = delete;
  ~ServedCommand();

  int descriptor() const { return pidfd_.get(); }  // readable when it has ended
  // Its exit code as a shell tells it. One that still runs is sent SIGTERM, and waited for.
  int finish();

 private:
  ServedCommand(int pid, Descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  int pid_;  // -1: it has been waited for
  Descriptor pidfd_;
};

}  // namespace disklathe::cli
