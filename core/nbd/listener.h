// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/descriptor.h"

namespace disklathe::nbd {

// A Unix socket that this user alone may connect to. One that nobody listens at any more makes room; any other file of
// that name is `busy`. The name is removed with it.
class UnixListener {
 public:
  static Result<UnixListener> create(const std::string& path);
  UnixListener(UnixListener&& other) noexcept;
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  const std::string& path() const { return path_; }
  Descriptor& socket() { return socket_; }

 private:
  UnixListener(std::string path, Descriptor socket) : path_(std::move(path)), socket_(std::move(socket)) {}

  std::string path_;  // empty: moved from
  Descriptor socket_;
};

// One socket for each address the host has. Port 0: one that is free, the same for all.
Result<std::vector<Descriptor>> listen_tcp(const std::string& host, uint16_t port);

// Where a socket listens.
struct Address {
  enum class Kind : uint8_t { unix_socket, tcp, other } kind = Kind::other;
  std::string host;  // or the path
  uint16_t port = 0;
  bool loopback = false;
};
Address address_of(int socket);

// Who is at the other end of a connection, for people and for keeping him out: "process 4711 of user 1000" on a Unix
// socket, else the address with its port.
struct Peer {
  std::string text;
  std::string host;  // what stays the same when he connects again; empty where that is not his alone
};

// Takes a client that waits. Not open, and errno says why: there is none.
struct Accepted {
  Descriptor socket;
  Peer peer;
};
Accepted accept_from(int listener);

// Sockets that a service manager has opened for this process (sd_listen_fds(3)). Once: what says so in the environment
// is gone afterwards.
std::vector<Descriptor> take_activation_sockets();

}  // namespace disklathe::nbd
