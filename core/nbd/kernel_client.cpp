// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/kernel_client.h"

#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/device/descriptor.h"

namespace disklathe::nbd {
namespace {

// A generic netlink message as it is put together. Numbers are of this machine's byte order.
class Message {
 public:
  Message(uint16_t family, uint8_t command, uint8_t version) {
    bytes_.resize(NLMSG_HDRLEN + GENL_HDRLEN);
    const nlmsghdr header{.nlmsg_len = 0, .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK};
    const genlmsghdr generic{.cmd = command, .version = version};
    std::memcpy(bytes_.data(), &header, sizeof header);
    std::memcpy(bytes_.data() + NLMSG_HDRLEN, &generic, sizeof generic);
  }

  template <std::integral Number>
  void put(uint16_t type, Number value) {
    put(type, std::as_bytes(std::span(&value, 1)));
  }
  void put(uint16_t type, Bytes value) {
    const size_t at = begin(type);
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    end(at);
  }
  // What is put in between lies inside of it.
  size_t begin_nested(uint16_t type) { return begin(type | NLA_F_NESTED); }
  void end(size_t at) {
    const auto length = static_cast<uint16_t>(bytes_.size() - at);
    std::memcpy(bytes_.data() + at, &length, sizeof length);
    bytes_.resize(NLA_ALIGN(bytes_.size()));
  }

  Bytes finished() {
    const auto length = static_cast<uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &length, sizeof length);
    return bytes_;
  }

 private:
  size_t begin(uint16_t type) {
    const size_t at = bytes_.size();
    const nlattr attribute{.nla_len = 0, .nla_type = type};
    const Bytes header = std::as_bytes(std::span(&attribute, 1));
    bytes_.insert(bytes_.end(), header.begin(), header.end());
    return at;
  }

  std::vector<std::byte> bytes_;
};

// The value of an attribute of an answer, by its type.
template <class Number>
std::optional<Number> attribute(Bytes attributes, uint16_t type) {
  while (attributes.size() >= sizeof(nlattr)) {
    nlattr header{};
    std::memcpy(&header, attributes.data(), sizeof header);
    if (header.nla_len < NLA_HDRLEN || header.nla_len > attributes.size()) break;
    if ((header.nla_type & NLA_TYPE_MASK) == type && header.nla_len >= NLA_HDRLEN + sizeof(Number)) {
      Number value{};
      std::memcpy(&value, attributes.data() + NLA_HDRLEN, sizeof value);
      return value;
    }
    attributes = attributes.subspan(std::min<size_t>(NLA_ALIGN(header.nla_len), attributes.size()));
  }
  return std::nullopt;
}

// Sends it, and returns the attributes of the answer, if there is one; else the kernel's errno.
std::expected<std::vector<std::byte>, int> ask(int socket, Message message) {
  const Bytes bytes = message.finished();
  if (send(socket, bytes.data(), bytes.size(), 0) < 0) return std::unexpected(errno);
  std::vector<std::byte> answer;
  for (;;) {
    alignas(nlmsghdr) std::array<std::byte, 16384> buffer{};
    const ssize_t count = recv(socket, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(errno);
    Bytes rest(buffer.data(), static_cast<size_t>(count));
    while (rest.size() >= sizeof(nlmsghdr)) {
      nlmsghdr header{};
      std::memcpy(&header, rest.data(), sizeof header);
      if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > rest.size()) return std::unexpected(EPROTO);
      const Bytes payload = rest.subspan(NLMSG_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN);
      if (header.nlmsg_type == NLMSG_ERROR) {
        int error = 0;
        if (payload.size() >= sizeof error) std::memcpy(&error, payload.data(), sizeof error);
        if (error != 0) return std::unexpected(-error);
        return answer;
      }
      if (payload.size() >= GENL_HDRLEN) answer.assign(payload.begin() + GENL_HDRLEN, payload.end());
      rest = rest.subspan(std::min<size_t>(NLMSG_ALIGN(header.nlmsg_len), rest.size()));
    }
  }
}

Error lacking() {
  return {.kind = ErrorKind::unsupported,
          .operation = "attach",
          .cause = "this kernel has no driver for network block devices, or has not loaded it (modprobe nbd)"};
}

struct Family {
  Descriptor socket;
  uint16_t number = 0;
};

Result<Family> find_family() {
  Family family{.socket = Descriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC))};
  sockaddr_nl self{.nl_family = AF_NETLINK};
  if (!family.socket.open() || bind(family.socket.get(), reinterpret_cast<sockaddr*>(&self), sizeof self) != 0)
    return failure(lacking());
  Message question(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
  question.put(CTRL_ATTR_FAMILY_NAME, std::as_bytes(std::span(NBD_GENL_FAMILY_NAME)));
  const auto answer = ask(family.socket.get(), std::move(question));
  const auto number = answer ? attribute<uint16_t>(*answer, CTRL_ATTR_FAMILY_ID) : std::nullopt;
  if (!number) return failure(lacking());
  family.number = *number;
  return family;
}

std::string node_of(std::optional<unsigned> index) { return index ? "/dev/nbd" + std::to_string(*index) : ""; }

}  // namespace

Result<unsigned> connect_kernel(const KernelDevice& device, std::span<const int> sockets) {
  const auto family = find_family();
  if (!family) return std::unexpected(family.error());
  Message message(family->number, NBD_CMD_CONNECT, NBD_GENL_VERSION);
  if (device.index) message.put(NBD_ATTR_INDEX, uint32_t{*device.index});
  message.put(NBD_ATTR_SIZE_BYTES, uint64_t{device.size});
  message.put(NBD_ATTR_BLOCK_SIZE_BYTES, uint64_t{device.block});
  message.put(NBD_ATTR_SERVER_FLAGS, uint64_t{device.flags});
  message.put(NBD_ATTR_TIMEOUT, uint64_t{device.timeout});
  const size_t list = message.begin_nested(NBD_ATTR_SOCKETS);
  for (const int socket : sockets) {
    const size_t item = message.begin_nested(NBD_SOCK_ITEM);
    message.put(NBD_SOCK_FD, static_cast<uint32_t>(socket));
    message.end(item);
  }
  message.end(list);
  const auto answer = ask(family->socket.get(), std::move(message));
  if (!answer) return failure(os_failure(answer.error(), "attach", node_of(device.index)));
  const auto index = attribute<uint32_t>(*answer, NBD_ATTR_INDEX);
  if (index) return *index;
  if (device.index) return *device.index;
  return failure(ErrorKind::io, "attach", "the kernel did not say which device it took");
}

Result<void> disconnect_kernel(unsigned index) {
  const auto family = find_family();
  if (!family) return std::unexpected(family.error());
  Message message(family->number, NBD_CMD_DISCONNECT, NBD_GENL_VERSION);
  message.put(NBD_ATTR_INDEX, uint32_t{index});
  const auto answer = ask(family->socket.get(), std::move(message));
  if (!answer) return failure(os_failure(answer.error(), "detach", node_of(index)));
  return {};
}

}  // namespace disklathe::nbd
