// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/control.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "core/base/runtime_folder.h"

namespace disklathe::nbd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view prefix = "serve-";
constexpr size_t most_question = 256, most_answer = 64 << 20;
// The server's own clients wait for as long as it waits for who asks.
constexpr std::chrono::milliseconds patience_of_server{300};
constexpr std::chrono::seconds patience_of_asker{5};

std::string place_of(const std::string& folder, pid_t server) {
  return folder + "/" + std::string(prefix) + std::to_string(server);
}

// Whether the socket is ready for these events in time.
bool is_ready(int socket, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd watched{.fd = socket, .events = events, .revents = 0};
    const int ready = left.count() > 0 ? poll(&watched, 1, static_cast<int>(left.count())) : 0;
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

bool is_of_user(int socket, uid_t user, bool or_root) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == user || (or_root && peer.uid == 0));
}

bool send_all(int socket, std::string_view text, Clock::time_point until) {
  while (!text.empty() && is_ready(socket, POLLOUT, until)) {
    iovec part{const_cast<char*>(text.data()), text.size()};
    const msghdr message{.msg_iov = &part, .msg_iovlen = 1};
    const ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return text.empty();
}

// Up to the line's end, or the end.
std::string receive_until(int socket, bool line, size_t most, Clock::time_point until) {
  std::string text;
  std::array<char, 65536> part;
  while (text.size() < most && is_ready(socket, POLLIN, until)) {
    const ssize_t count = recv(socket, part.data(), std::min(part.size(), most - text.size()), MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    text.append(part.data(), static_cast<size_t>(count));
    if (line && text.contains('\n')) break;
  }
  return text;
}

}  // namespace

Result<ControlSocket> ControlSocket::create() {
  const auto folder = own_runtime_folder();
  if (!folder) return std::unexpected(folder.error());
  auto listener = UnixListener::create(place_of(*folder, getpid()));
  if (!listener) return failure(listener);
  ControlSocket control(std::move(listener->socket()), geteuid());
  control.named_.emplace(std::move(*listener));
  return control;
}

ControlSocket ControlSocket::adopt(Descriptor socket) {
  // Of a socket that listens: who has it listen.
  ucred owner{.pid = 0, .uid = static_cast<uid_t>(-1), .gid = 0};
  socklen_t size = sizeof owner;
  (void)getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &owner, &size);
  return {std::move(socket), owner.uid};
}

void ControlSocket::answer(const std::function<std::string(std::string_view)>& reply) {
  const Descriptor socket(accept4(descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.open() || !is_of_user(socket.get(), user_, true)) return;
  const std::string text = receive_until(socket.get(), true, most_question, Clock::now() + patience_of_server);
  const size_t end = text.find('\n');
  if (end == std::string::npos) return;
  (void)send_all(socket.get(), reply(std::string_view(text).substr(0, end)), Clock::now() + patience_of_server);
}

std::vector<pid_t> servers_of_this_user() {
  std::vector<pid_t> found;
  const auto folder = own_runtime_folder();
  if (!folder) return found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, error)) {
    const std::string name = entry.path().filename();
    pid_t server = 0;
    if (!name.starts_with(prefix)) continue;
    const char* end = name.data() + name.size();
    if (const auto [stop, wrong] = std::from_chars(name.data() + prefix.size(), end, server);
        wrong == std::errc() && stop == end && server > 0)
      found.push_back(server);
  }
  std::ranges::sort(found);
  return found;
}

Result<std::string> ask_server(pid_t server, std::string_view question) {
  const auto folder = own_runtime_folder();
  if (!folder) return std::unexpected(folder.error());
  const std::string path = place_of(*folder, server);
  const std::string subject = "process " + std::to_string(server);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return failure(os_failure(ENAMETOOLONG, "ask", path));
  path.copy(address.sun_path, path.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.open()) return failure(os_failure(errno, "ask", subject));
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    // What a server left behind that was killed.
    if (errno == ECONNREFUSED) unlink(path.c_str());
    return failure(
        Error{.kind = ErrorKind::not_found, .operation = "ask", .subject = subject, .cause = "it serves nothing"});
  }
  if (!is_of_user(socket.get(), geteuid(), false)) return failure(os_failure(EPERM, "ask", subject));
  const auto until = Clock::now() + patience_of_asker;
  std::string line(question);
  line += '\n';
  std::string answer;
  if (send_all(socket.get(), line, until)) answer = receive_until(socket.get(), false, most_answer, until);
  if (answer.empty())
    return failure(Error{.kind = ErrorKind::io, .operation = "ask", .subject = subject, .cause = "it did not answer"});
  return answer;
}

}  // namespace disklathe::nbd
