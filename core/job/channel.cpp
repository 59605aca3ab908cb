// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace disklathe::job {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t read_size = 64 << 10;

// Room for one message's descriptors and one more, by which too many are noticed.
using Ancillary = std::array<std::byte, CMSG_SPACE(sizeof(int) * (most_descriptors + 1))>;

Result<FromWorker> decode(Bytes bytes, std::type_identity<FromWorker>) { return decode_from_worker(bytes); }
Result<FromClient> decode(Bytes bytes, std::type_identity<FromClient>) { return decode_from_client(bytes); }

std::vector<Descriptor> descriptors_in(msghdr& header) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

// What is there into the reader; false: nothing is. At the end `vanished`.
Result<bool> read_some(int socket, FrameReader& reader) {
  std::array<std::byte, read_size> bytes;
  alignas(cmsghdr) Ancillary ancillary;
  iovec vector{bytes.data(), std::min(bytes.size(), reader.room())};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = ancillary.data();
  header.msg_controllen = ancillary.size();
  ssize_t count = -1;
  do {
    count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count < 0) return failure(os_failure(errno, "receive", ""));
  std::vector<Descriptor> descriptors = descriptors_in(header);
  if ((header.msg_flags & MSG_CTRUNC) != 0)
    return failure(ErrorKind::invalid, "receive", "more descriptors than a message may have");
  if (count == 0) return failure(os_failure(EPIPE, "receive", ""));
  reader.add(Bytes(bytes).first(static_cast<size_t>(count)), std::move(descriptors));
  return true;
}

bool wait_for_room(int socket, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd watched{.fd = socket, .events = POLLOUT, .revents = 0};
  return left > 0 && poll(&watched, 1, static_cast<int>(left)) >= 0;
}

}  // namespace

template <class Out, class In>
Channel<Out, In>::Channel(Descriptor socket) : socket_(std::move(socket)) {
  const int flags = fcntl(socket_.get(), F_GETFL);
  if (flags >= 0) (void)fcntl(socket_.get(), F_SETFL, flags | O_NONBLOCK);
}

template <class Out, class In>
Result<std::optional<typename Channel<Out, In>::Received>> Channel<Out, In>::receive() {
  while (true) {
    auto frame = reader_.take();
    if (!frame) return failure(frame);
    if (*frame) {
      auto message = decode((*frame)->bytes, std::type_identity<In>());
      if (!message) return failure(message);
      if (descriptors_of(*message) != (*frame)->descriptors.size())
        return failure(ErrorKind::invalid, "receive", "a message with another number of descriptors than belong to it");
      return Received{std::move(*message), std::move((*frame)->descriptors)};
    }
    // What came before the end is still told.
    if (ended_) return failure(os_failure(EPIPE, "receive", ""));
    auto more = read_some(socket_.get(), reader_);
    if (!more && more.error().kind == ErrorKind::vanished) {
      ended_ = true;
      continue;
    }
    if (!more) return failure(more);
    if (!*more) return std::nullopt;
  }
}

template <class Out, class In>
Result<void> Channel<Out, In>::send(const Out& message, std::span<const int> descriptors,
                                    std::chrono::milliseconds patience) {
  if (descriptors.size() != descriptors_of(message) || descriptors.size() > most_descriptors)
    return failure(ErrorKind::invalid, "send", "another number of descriptors than belong to the message");
  const std::vector<std::byte> body = encode(message);
  if (body.size() > most_frame) return failure(ErrorKind::invalid, "send", "a message that is too long");
  std::vector<std::byte> frame = framed(body, descriptors.size());

  alignas(cmsghdr) Ancillary ancillary{};
  const Clock::time_point until = Clock::now() + patience;
  for (size_t sent = 0; sent < frame.size();) {
    iovec vector{frame.data() + sent, frame.size() - sent};
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    if (sent == 0 && !descriptors.empty()) {
      header.msg_control = ancillary.data();
      header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* part = CMSG_FIRSTHDR(&header);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t count = sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for_room(socket_.get(), until)) return failure(ErrorKind::busy, "send", "nobody takes it");
    } else if (errno != EINTR) {
      return failure(os_failure(errno, "send", ""));
    }
  }
  return {};
}

template class Channel<FromWorker, FromClient>;
template class Channel<FromClient, FromWorker>;

Result<SocketPair> make_socket_pair() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return failure(os_failure(errno, "create", "socket"));
  return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace disklathe::job
