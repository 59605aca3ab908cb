// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QProcess>

#include "ui/images/image_model.h"

namespace disklathe::ui {

// An image served to NBD clients, read-only, by `disklathe serve` in a process of its own that ends with this object.
class ExportServer : public QObject {
  Q_OBJECT
 public:
  explicit ExportServer(const ImagePtr& image, QObject* parent = nullptr);
  ~ExportServer() override;

  // tcp: on the loopback address at any free port, else on a Unix socket of this user's.
  void start(bool tcp);
  void stop();
  const ImagePtr& image() const { return image_; }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  const QString& uri() const { return uri_; }  // empty until it is ready
  const QString& problem() const { return problem_; }
  bool tcp() const { return tcp_; }
  const QDateTime& since() const { return since_; }

 Q_SIGNALS:
  void changed();

 private:
  void read_output();
  void finished();

  ImagePtr image_;
  QProcess process_;
  QString uri_, problem_;
  QDateTime since_;
  bool tcp_ = false, stopping_ = false;
};

}  // namespace disklathe::ui
