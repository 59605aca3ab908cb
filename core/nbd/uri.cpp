// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/uri.h"

#include <fmt/format.h>

#include <algorithm>

namespace disklathe::nbd {
namespace {

std::string_view scheme(bool tls) { return tls ? "nbds" : "nbd"; }

// RFC 3986: what is neither unreserved nor a slash goes as %XX.
std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string unix_uri(std::string_view socket_path, std::string_view name, bool tls) {
  return fmt::format("{}+unix:///{}?socket={}", scheme(tls), encoded(name), encoded(socket_path));
}

std::string tcp_uri(std::string_view host, uint16_t port, std::string_view name, bool tls) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  const std::string shown = ipv6 ? fmt::format("[{}]", host) : std::string(host);
  return name.empty() ? fmt::format("{}://{}:{}", scheme(tls), shown, port)
                      : fmt::format("{}://{}:{}/{}", scheme(tls), shown, port, encoded(name));
}

}  // namespace disklathe::nbd
