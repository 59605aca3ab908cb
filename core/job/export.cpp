// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/export.h"

#include "core/engine/image_export.h"
#include "core/job/image_opening.h"
#include "core/nbd/server.h"

namespace disklathe::job {
namespace {

constexpr std::chrono::milliseconds drain{40};  // a worker that was stopped ends in a tenth of a second

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
  const std::vector<Descriptor> listeners = host.take_listeners();
  host.note({Note::Kind::serving, host.spec().file(role)->name, {}, 0});
  progress.phase = Phase::write;
  const nbd::Server::Event stopped{stop.descriptor(), [&stop] { return stop.requested(); }};
  (*server)->run(listeners, {&stopped, 1}, asked.once);
  if (auto finished = (*shown)->finish(); !finished) return failure(finished);
  return Exported{};
}

}  // namespace disklathe::job
