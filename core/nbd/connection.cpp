// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace disklathe::nbd {
namespace {

msghdr message_of(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = std::min<size_t>(parts.size(), IOV_MAX);
  return message;
}

}  // namespace

Connection::Connection(Descriptor socket) : socket_(std::move(socket)) {
  int domain = 0;
  socklen_t length = sizeof domain;
  local_ = getsockopt(fd(), SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
  // Replies are put together here; the kernel is not to wait for more.
  if (!local_) do_not_wait_for_more();
}

void Connection::do_not_wait_for_more() {
  const int on = 1;
  setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

size_t Connection::receive(MutableBytes into) {
  if (tls_) return tls_->receive(into);
  for (;;) {
    const ssize_t count = recv(fd(), into.data(), into.size(), 0);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return 0;
  }
}

bool Connection::send(std::span<iovec> parts, bool more) {
  if (tls_) {
    return std::ranges::all_of(parts, [this](const iovec& part) {
      return tls_->send({static_cast<const std::byte*>(part.iov_base), part.iov_len});
    });
  }
  // Nothing came after what was held back. TCP_NODELAY, though it is on, sends that now (tcp(7)).
  if (parts.empty() && held_ && !more) do_not_wait_for_more();
  held_ = more && !local_ && (held_ || !parts.empty());
  while (!parts.empty()) {
    const msghdr message = message_of(parts);
    const ssize_t count = sendmsg(fd(), &message, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    parts = skip_parts(parts, static_cast<size_t>(count));
  }
  return true;
}

std::optional<uint64_t> Connection::send_file(int file, uint64_t at, uint64_t length) {
  auto offset = static_cast<off_t>(at);
  uint64_t sent = 0;
  while (sent < length) {
    const ssize_t count = sendfile(fd(), file, &offset, length - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) break;
    if (count < 0) {
      // The file's own failures; the client's are EPIPE and its like.
      if (errno == EIO || errno == EINVAL || errno == ENODATA) break;
      return std::nullopt;
    }
    sent += static_cast<uint64_t>(count);
  }
  return sent;
}

ssize_t Connection::try_receive(MutableBytes into) {
  for (;;) {
    const ssize_t count = recv(fd(), into.data(), into.size(), MSG_DONTWAIT);
    if (count >= 0) return count;
    if (errno == EAGAIN) return -1;
    if (errno != EINTR) return 0;
  }
}

ssize_t Connection::try_send(std::span<const iovec> parts) {
  for (;;) {
    const msghdr message = message_of(parts);
    const ssize_t count = sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return count;
    if (errno == EAGAIN) return -1;
    if (errno != EINTR) return 0;
  }
}

void Connection::end_requests() {
  ending_ = true;  // what is in a TCP socket already can still be received after this
  shutdown(fd(), SHUT_RD);
}

void Connection::cut() {
  cut_ = true;
  shutdown(fd(), SHUT_RDWR);
}

std::span<iovec> skip_parts(std::span<iovec> parts, size_t bytes) {
  while (!parts.empty() && parts.front().iov_len <= bytes) {
    bytes -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (!parts.empty()) {
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + bytes;
    parts.front().iov_len -= bytes;
  }
  return parts;
}

}  // namespace disklathe::nbd
