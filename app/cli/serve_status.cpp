// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/exit_codes.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "core/nbd/control.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

// Whether a person who names `which` means this server.
bool is_meant(const std::string& which, const ordered_json& status) {
  if (which.empty() || which == std::to_string(status.value("process", 0))) return true;
  std::error_code error;
  if (status.contains("socket") && std::filesystem::equivalent(which, status["socket"].get<std::string>(), error))
    return true;
  return std::ranges::any_of(status["exports"],
                             [&](const ordered_json& one) { return one.value("uri", std::string()) == which; });
}

Result<ordered_json> ask(pid_t server, std::string_view question) {
  auto answer = nbd::ask_server(server, question);
  if (!answer) return failure(answer);
  auto json = ordered_json::parse(*answer, nullptr, false);
  if (json.is_object() && (json.contains("exports") || json.contains("revoked"))) return json;
  return failure(Error{.kind = ErrorKind::io,
                       .operation = "ask",
                       .subject = fmt::format("process {}", server),
                       .cause = "its answer makes no sense"});
}

void print(const ordered_json& status) {
  std::string text = fmt::format("process {}\n", status["process"].get<int>());
  for (const ordered_json& one : status["exports"]) {
    text += fmt::format("  {}  {}  {}{}\n", one["uri"].get<std::string>(), one["image"].get<std::string>(),
                        human_size(one["size"].get<uint64_t>()), one["writable"].get<bool>() ? "  writable" : "");
    const ordered_json& left = one["left"];
    if (const uint64_t count = left["clients"].get<uint64_t>(); count > 0)
      text += fmt::format("    {} {} left: read {}, written {}, {} requests\n", count,
                          count == 1 ? "client" : "clients", human_size(left["bytes-read"].get<uint64_t>()),
                          human_size(left["bytes-written"].get<uint64_t>()), left["requests"].get<uint64_t>());
  }
  for (const ordered_json& client : status["clients"]) {
    text += fmt::format("  client {}  {}  {}{}", client["id"].get<uint64_t>(), client["peer"].get<std::string>(),
                        human_duration(client["seconds"].get<double>()), client["tls"].get<bool>() ? "  TLS" : "");
    if (client["export"].is_null()) {
      text += "  has not chosen an export yet\n";
      continue;
    }
    text +=
        fmt::format("  export '{}'\n    read {} ({}), written {} ({}), {} requests\n",
                    client["export"].get<std::string>(), human_size(client["bytes-read"].get<uint64_t>()),
                    human_rate(client["read-rate"].get<double>()), human_size(client["bytes-written"].get<uint64_t>()),
                    human_rate(client["write-rate"].get<double>()), client["requests"].get<uint64_t>());
  }
  if (status["clients"].empty()) text += "  no clients\n";
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    fmt::print("{}\n", printable(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
}

// Of those that are meant, what they say; servers that ended meanwhile are none. An error: the one that was named by
// its process did not answer.
Result<std::vector<ordered_json>> meant_servers(const std::string& which) {
  std::vector<ordered_json> found;
  for (const pid_t server : nbd::servers_of_this_user()) {
    auto status = ask(server, "status");
    if (!status && status.error().kind != ErrorKind::not_found && which == std::to_string(server))
      return failure(status);
    // Whose clients are a worker's is still called by its own number.
    if (status) (*status)["process"] = server;
    if (status && is_meant(which, *status)) found.push_back(std::move(*status));
  }
  return found;
}

int send_away(unsigned client, const std::vector<ordered_json>& servers) {
  if (servers.size() > 1)
    return report({.kind = ErrorKind::invalid,
                   .operation = "serve",
                   .cause = "several servers run: say which one, by its URI or process"});
  const auto done = ask(servers[0]["process"].get<pid_t>(), fmt::format("revoke {}", client));
  if (!done) return report(done.error());
  if ((*done)["revoked"].get<bool>()) return exit_ok;
  return report({.kind = ErrorKind::not_found,
                 .operation = "send away",
                 .subject = fmt::format("client {}", client),
                 .cause = "the server has none of that number"});
}

}  // namespace

int run_serve_status(const StatusRequest& request) {
  const auto meant = meant_servers(request.which);
  if (!meant) return report(meant.error());
  const std::vector<ordered_json>& servers = *meant;
  if (servers.empty() && (!request.which.empty() || request.client))
    return report({.kind = ErrorKind::not_found,
                   .operation = "ask",
                   .subject = request.which,
                   .cause = request.which.empty() ? "no server of this user runs" : "no server of this user is that"});
  if (request.client) return send_away(*request.client, servers);
  if (request.json) {
    fmt::print("{}\n", ordered_json{{"servers", servers}}.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return exit_ok;
  }
  for (const ordered_json& status : servers) print(status);
  if (servers.empty()) fmt::print("no server of this user runs\n");
  return exit_ok;
}

}  // namespace disklathe::cli
