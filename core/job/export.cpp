// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/export.h"

#include <optional>
#include <span>
#include <vector>

#include "core/engine/image_export.h"
#include "core/job/image_opening.h"
#include "core/nbd/control.h"
#include "core/nbd/server.h"
#include "core/nbd/status.h"

namespace disklathe::job {
namespace {

constexpr std::chrono::milliseconds drain{40};  // a worker that was stopped ends in a tenth of a second

nbd::ServedPlace described(const Spec& spec, Role role, const nbd::ExportInfo& info,
                           std::span<const Descriptor> listeners) {
  nbd::ServedPlace place{.exports = {{.name = info.name,
                                      .uri = spec.file(Role::listener)->name,
                                      .path = spec.file(role)->name,
                                      .size = info.size,
                                      .writable = info.writable}},
                         .socket = {}};
  for (const Descriptor& listener : listeners) {
    const nbd::Address address = nbd::address_of(listener.get());
    if (address.kind == nbd::Address::Kind::unix_socket && address.host.starts_with('/')) place.socket = address.host;
  }
  return place;
}

}  // namespace

Result<Outcome> perform_export(Host& host, const Export& asked, Progress& progress, const Stop& stop) {
  const Role role = asked.writable ? Role::target : Role::source;
  auto image =
      ImageOpening(host, role).open({.format = asked.format, .snapshot = asked.snapshot, .edit = asked.writable});
  if (!image) return failure(image);
  auto part = asked.partition ? partition_of(**image, asked.partition) : asked.part;
  if (!part) return failure(part);
  auto shown = make_export(std::move(*image), {.name = asked.name,
                                               .description = asked.description,
                                               .part = *part,
                                               .writable = asked.writable,
                                               .changes = asked.changes});
  if (!shown) return failure(shown);
  auto server = nbd::Server::create(
      {shown->get()},
      {.connections = asked.connections, .idle = std::chrono::seconds(asked.idle_seconds), .drain = drain});
  if (!server) return failure(server);
  const std::vector<Descriptor> listeners = host.take_sockets(Role::listener);
  const nbd::ServedPlace place = described(host.spec(), role, (*shown)->info(), listeners);
  std::vector<nbd::Server::Event> events{{stop.descriptor(), [&stop] { return stop.requested(); }}};
  std::vector<Descriptor> asked_at = host.take_sockets(Role::control);
  std::optional<nbd::ControlSocket> control;
  if (!asked_at.empty()) {
    control.emplace(nbd::ControlSocket::adopt(std::move(asked_at.front())));
    events.push_back({control->descriptor(), [&] {
                        control->answer(
                            [&](std::string_view question) { return nbd::answer_about(**server, place, question); });
                        return false;
                      }});
  }
  host.note({Note::Kind::serving, host.spec().file(role)->name, {}, 0});
  progress.phase = Phase::write;
  (*server)->run(listeners, events, asked.once);
  if (auto finished = (*shown)->finish(); !finished) return failure(finished);
  return Exported{};
}

}  // namespace disklathe::job
