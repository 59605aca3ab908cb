// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace disklathe::nbd {
namespace {

constexpr int backlog = 128;
constexpr int first_activation_socket = 3;  // SD_LISTEN_FDS_START
constexpr unsigned most_activation_sockets = 64;

bool nobody_listens(const sockaddr_un& address) {
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

Result<Descriptor> listen_at(const addrinfo& found, uint16_t port, const std::string& host) {
  sockaddr_storage address{};
  std::memcpy(&address, found.ai_addr, found.ai_addrlen);
  if (found.ai_family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  if (found.ai_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
  Descriptor listener(::socket(found.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (found.ai_family == AF_INET6) setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (!listener.open() || bind(listener.get(), reinterpret_cast<sockaddr*>(&address), found.ai_addrlen) != 0 ||
      listen(listener.get(), backlog) != 0)
    return failure(os_failure(errno, "listen at", host + ":" + std::to_string(port)));
  return listener;
}

Address understood(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = {};
  if (storage.ss_family == AF_UNIX) {
    const auto& address = reinterpret_cast<const sockaddr_un&>(storage);
    return {.kind = Address::Kind::unix_socket, .host = address.sun_path, .loopback = true};
  }
  if (storage.ss_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return {.kind = Address::Kind::tcp,
            .host = text,
            .port = ntohs(address.sin_port),
            .loopback = (ntohl(address.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET};
  }
  if (storage.ss_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6&>(storage);
    inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
    return {.kind = Address::Kind::tcp,
            .host = text,
            .port = ntohs(address.sin6_port),
            .loopback = IN6_IS_ADDR_LOOPBACK(&address.sin6_addr) != 0};
  }
  return {};
}

Peer peer_of(int socket, const Address& address) {
  if (address.kind == Address::Kind::tcp) {
    const bool ipv6 = address.host.find(':') != std::string::npos;
    return {.text = (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port),
            .host = address.loopback ? std::string() : address.host};
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  const std::string process = "process " + std::to_string(peer.pid);
  return {.text = process + " of user " + std::to_string(peer.uid), .host = process};
}

unsigned number_in(const char* variable) {
  const char* text = std::getenv(variable);
  unsigned number = 0;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace

Result<UnixListener> UnixListener::create(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return failure(Error{.kind = ErrorKind::invalid,
                         .operation = "listen at",
                         .subject = path,
                         .cause = "a socket's path has 1 to 107 bytes"});
  std::memcpy(address.sun_path, path.data(), path.size());
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) && nobody_listens(address)) unlink(path.c_str());

  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  // The socket's own mode becomes its name's: nobody can connect between bind() and a chmod().
  if (!listener.open() || fchmod(listener.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(listener.get(), name, sizeof address) != 0) {
    Error error = os_failure(errno, "listen at", path);
    if (error.os_error == EADDRINUSE) {
      error.kind = ErrorKind::busy;
      error.os_error = 0;
      error.cause = "something of that name is there, and in use or no socket";
    }
    return failure(std::move(error));
  }
  UnixListener made(path, std::move(listener));
  if (listen(made.socket_.get(), backlog) != 0) return failure(os_failure(errno, "listen at", path));
  return made;
}

UnixListener::UnixListener(UnixListener&& other) noexcept
    : path_(std::exchange(other.path_, {})), socket_(std::move(other.socket_)) {}

UnixListener::~UnixListener() {
  if (!path_.empty()) unlink(path_.c_str());
}

Result<std::vector<Descriptor>> listen_tcp(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int result = getaddrinfo(host.c_str(), nullptr, &hints, &found); result != 0)
    return failure(
        Error{.kind = ErrorKind::not_found, .operation = "listen at", .subject = host, .cause = gai_strerror(result)});
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
  std::vector<Descriptor> listeners;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    auto listener = listen_at(*one, port, host);
    if (!listener) return failure(listener);
    if (port == 0) port = address_of(listener->get()).port;
    listeners.push_back(std::move(*listener));
  }
  return listeners;
}

Address address_of(int socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length) == 0 ? understood(storage) : Address{};
}

Accepted accept_from(int listener) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  Accepted accepted{.socket =
                        Descriptor(accept4(listener, reinterpret_cast<sockaddr*>(&storage), &length, SOCK_CLOEXEC))};
  if (accepted.socket.open()) accepted.peer = peer_of(accepted.socket.get(), understood(storage));
  return accepted;
}

std::vector<Descriptor> take_activation_sockets() {
  std::vector<Descriptor> sockets;
  const unsigned count = std::min(number_in("LISTEN_FDS"), most_activation_sockets);
  if (number_in("LISTEN_PID") == static_cast<unsigned>(getpid())) {
    for (unsigned i = 0; i < count; ++i) {
      const int fd = first_activation_socket + static_cast<int>(i);
      if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0) sockets.emplace_back(fd);
    }
  }
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(variable);
  return sockets;
}

}  // namespace disklathe::nbd
