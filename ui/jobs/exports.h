// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>

#include "ui/jobs/export_server.h"

namespace disklathe::ui {

// The images that are served: one server an image; they go on while other things are looked at.
class Exports : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ExportServer& of(const ImagePtr& image);
  const ExportServer* find(const QString& path) const { return servers_.value(path); }  // null: never served
  QList<ExportServer*> running() const;
  void stop_all();

 Q_SIGNALS:
  void changed();
  void looked();  // at the clients of one of them

 private:
  QHash<QString, ExportServer*> servers_;  // by the image's path
};

}  // namespace disklathe::ui
