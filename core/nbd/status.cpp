// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/status.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace disklathe::nbd {
namespace {

using nlohmann::ordered_json;

std::string on_a_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

ordered_json json_of(const std::vector<Range>& ranges) {
  auto list = ordered_json::array();
  for (const Range& range : ranges) list.push_back({{"start", range.at}, {"length", range.length}});
  return list;
}

ordered_json json_of(const Departed& departed) {
  ordered_json object;
  object["clients"] = departed.clients;
  object["requests"] = departed.requests;
  object["bytes-read"] = departed.bytes_read;
  object["bytes-written"] = departed.bytes_written;
  object["read"] = json_of(departed.read_parts.ranges());
  object["written"] = json_of(departed.written_parts.ranges());
  return object;
}

ordered_json json_of(const ClientInfo& client, const ServedPlace& place) {
  const auto whole = [](double number) { return static_cast<uint64_t>(std::llround(number)); };
  ordered_json object;
  object["id"] = client.id;
  object["peer"] = client.peer;
  if (client.export_index)
    object["export"] = place.exports[*client.export_index].name;
  else
    object["export"] = nullptr;
  object["tls"] = client.secure;
  object["seconds"] = std::round(client.seconds * 10) / 10;
  object["requests"] = client.requests;
  object["bytes-read"] = client.bytes_read;
  object["bytes-written"] = client.bytes_written;
  object["read-rate"] = whole(client.read_rate);
  object["write-rate"] = whole(client.write_rate);
  object["read"] = json_of(client.read);
  object["written"] = json_of(client.written);
  return object;
}

ordered_json status_of(const Server& server, const ServedPlace& place) {
  ordered_json status;
  status["process"] = getpid();
  if (!place.socket.empty()) status["socket"] = place.socket;
  status["exports"] = ordered_json::array();
  for (size_t i = 0; i < place.exports.size(); ++i) {
    const ServedPlace::Export& one = place.exports[i];
    status["exports"].push_back({{"name", one.name},
                                 {"uri", one.uri},
                                 {"image", one.path},
                                 {"size", one.size},
                                 {"writable", one.writable},
                                 {"left", json_of(server.departed(i))}});
  }
  status["clients"] = ordered_json::array();
  for (const ClientInfo& client : server.clients()) status["clients"].push_back(json_of(client, place));
  return status;
}

}  // namespace

std::string answer_about(Server& server, const ServedPlace& place, std::string_view question) {
  constexpr std::string_view revoke = "revoke ";
  if (question == "status") return on_a_line(status_of(server, place));
  if (question.starts_with(revoke)) {
    const auto client = number_in<uint64_t>(question.substr(revoke.size()));
    return on_a_line({{"revoked", client && server.revoke(*client)}});
  }
  return on_a_line({{"error", "there is no such question"}});
}

}  // namespace disklathe::nbd
