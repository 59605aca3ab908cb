// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/nbd/listener.h"

namespace disklathe::nbd {

// Where other programs of this user ask a server how it is: a socket in the user's runtime folder, called after the
// server's process. What answers needs no rights but those to the socket. A question is one line, the answer all that
// comes until the end.
class ControlSocket {
 public:
  static Result<ControlSocket> create();
  // What another process of a user has created: this one answers for it, to that user.
  static ControlSocket adopt(Descriptor socket);

  std::string path() const { return named_ ? named_->path() : std::string(); }
  int descriptor() const { return socket_.get(); }  // readable: somebody is there
  // Of one who asks now. Waits for him only shortly; of another user's, hears nothing.
  void answer(const std::function<std::string(std::string_view question)>& reply);

 private:
  ControlSocket(Descriptor socket, uid_t user) : socket_(std::move(socket)), user_(user) {}

  std::optional<UnixListener> named_;  // whose name goes with it
  Descriptor socket_;
  uid_t user_;
};

// The processes that have such a socket; some may have ended.
std::vector<pid_t> servers_of_this_user();

// One question (without the line's end) to one of them. `not_found`: it is no server, or none any more.
Result<std::string> ask_server(pid_t server, std::string_view question);

}  // namespace disklathe::nbd
