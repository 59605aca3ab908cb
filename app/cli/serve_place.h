// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/nbd/listener.h"

namespace disklathe::cli {

// Where clients find the server. What it has made (a socket's name, a folder for it) goes with it.
class ServePlace {
 public:
  struct Request {
    std::string socket;  // --socket PATH
    std::string tcp;     // --tcp [ADDRESS:]PORT
    // Neither: sockets that a service manager has opened, else one of an own name in the user's runtime folder.
  };
  static Result<ServePlace> open(const Request& request);
  ServePlace(ServePlace&& other) noexcept = default;
  ~ServePlace();

  const std::vector<Descriptor>& listeners() const { return listeners_; }
  // Of an export, by the first place that has one; empty when none has.
  std::string uri(const std::string& name, bool tls) const;
  std::string socket_path() const;  // empty: none
  bool beyond_this_machine() const;
  // What it has made, to be removed in this order.
  std::vector<std::string> names() const;

 private:
  ServePlace() = default;

  std::vector<Descriptor> listeners_;
  std::vector<nbd::Address> addresses_;
  std::vector<nbd::UnixListener> named_;
  std::string folder_;  // made for the socket
};

}  // namespace disklathe::cli
