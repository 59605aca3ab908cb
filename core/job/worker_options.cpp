// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <string_view>

#include "core/job/serve.h"

namespace disklathe::job {
namespace {

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > INT32_MAX) return std::nullopt;
  return value;
}

// "target:4" or "target:4:5"
bool take_grant(std::string_view text, WorkerOptions& options) {
  Launch::Grant grant;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto role = role_of(text.substr(0, colon));
  text.remove_prefix(colon + 1);
  const size_t second = text.find(':');
  const auto fd = number(text.substr(0, second));
  if (!role || !fd) return false;
  grant.role = *role;
  grant.fd = static_cast<int>(*fd);
  if (second != std::string_view::npos) {
    const auto direct = number(text.substr(second + 1));
    if (!direct) return false;
    grant.direct_fd = static_cast<int>(*direct);
  }
  options.grants.push_back(grant);
  return true;
}

bool take_word(std::string_view word, WorkerOptions& options) {
  if (word == "--orphan") return options.orphan = true;
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  if (name == "--grant") return take_grant(value, options);
  if (name == "--only") return (options.only = kind_of(value)).has_value();
  const auto count = number(value);
  if (!count) return false;
  if (name == "--socket-fd") options.socket = static_cast<int>(*count);
  if (name == "--uid") options.uid = *count;
  if (name == "--gid") options.gid = *count;
  return name == "--socket-fd" || name == "--uid" || name == "--gid";
}

}  // namespace

std::optional<WorkerOptions> read_worker_options(std::span<char* const> words) {
  WorkerOptions options;
  for (const std::string_view word : words)
    if (!take_word(word, options)) return std::nullopt;
  if (options.socket < 0) return std::nullopt;
  return options;
}

}  // namespace disklathe::job
