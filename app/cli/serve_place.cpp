// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/nbd/uri.h"

namespace disklathe::cli {
namespace {

// The user's own folder for such things; empty where there is none.
std::string runtime_folder() {
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  return folder && access(folder, W_OK | X_OK) == 0 ? folder : "";
}

// "10809", "192.0.2.1:10809", "[::1]:10809", "localhost:0"
Result<std::vector<Descriptor>> listen_at(const std::string& place) {
  const size_t colon = place.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : place.substr(0, colon);
  const std::string port_text = colon == std::string::npos ? place : place.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (error != std::errc() || end != port_text.data() + port_text.size() || host.empty())
    return failure(ErrorKind::invalid, "serve", fmt::format("--tcp takes [ADDRESS:]PORT, not '{}'", place));
  return nbd::listen_tcp(host, port);
}

}  // namespace

Result<ServePlace> ServePlace::open(const Request& request) {
  ServePlace place;
  std::string path = request.socket;
  if (!request.tcp.empty()) {
    auto listeners = listen_at(request.tcp);
    if (!listeners) return failure(listeners);
    place.listeners_ = std::move(*listeners);
  } else if (path.empty()) {
    place.listeners_ = nbd::take_activation_sockets();
  }
  if (path.empty() && place.listeners_.empty()) {
    std::string folder = runtime_folder();
    if (folder.empty()) {
      folder = std::filesystem::temp_directory_path() / "disklathe-XXXXXX";
      if (!mkdtemp(folder.data())) return failure(os_failure(errno, "make", folder));
      place.folder_ = folder;
    }
    path = fmt::format("{}/disklathe-{}.sock", folder, getpid());
  }
  if (!path.empty()) {
    auto listener = nbd::UnixListener::create(path);
    if (!listener) return failure(listener);
    place.listeners_.push_back(std::move(listener->socket()));
    place.named_.push_back(std::move(*listener));
  }
  for (const Descriptor& listener : place.listeners_) place.addresses_.push_back(nbd::address_of(listener.get()));
  return place;
}

ServePlace::~ServePlace() {
  named_.clear();
  if (!folder_.empty()) rmdir(folder_.c_str());
}

std::string ServePlace::uri(const std::string& name, bool tls) const {
  for (const nbd::Address& address : addresses_) {
    if (address.kind == nbd::Address::Kind::unix_socket && !address.host.empty())
      return nbd::unix_uri(std::filesystem::absolute(address.host).string(), name, tls);
    if (address.kind == nbd::Address::Kind::tcp) return nbd::tcp_uri(address.host, address.port, name, tls);
  }
  return {};
}

std::string ServePlace::socket_path() const {
  const auto found = std::ranges::find(addresses_, nbd::Address::Kind::unix_socket, &nbd::Address::kind);
  return found == addresses_.end() ? std::string() : found->host;
}

std::vector<std::string> ServePlace::names() const {
  std::vector<std::string> names;
  names.reserve(named_.size() + 1);
  for (const nbd::UnixListener& one : named_) names.push_back(std::filesystem::absolute(one.path()).string());
  if (!folder_.empty()) names.push_back(folder_);
  return names;
}

bool ServePlace::beyond_this_machine() const {
  return std::ranges::any_of(addresses_, [](const nbd::Address& address) {
    return address.kind == nbd::Address::Kind::tcp && !address.loopback;
  });
}

}  // namespace disklathe::cli
