// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/exports.h"

#include <algorithm>

#include "ui/images/open_image.h"

namespace disklathe::ui {

ExportServer& Exports::of(const ImagePtr& image) {
  ExportServer*& server = servers_[image->path()];
  if (!server) {
    server = new ExportServer(image, this);
    connect(server, &ExportServer::changed, this, &Exports::changed);
    connect(server, &ExportServer::looked, this, &Exports::looked);
  }
  return *server;
}

QList<ExportServer*> Exports::running() const {
  QList<ExportServer*> running;
  for (ExportServer* server : servers_)
    if (server->running()) running << server;
  std::ranges::sort(running, {}, [](const ExportServer* server) { return server->image()->path(); });
  return running;
}

void Exports::stop_all() {
  for (ExportServer* server : running()) server->stop();
}

}  // namespace disklathe::ui
