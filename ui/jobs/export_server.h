// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <vector>

#include "core/base/range.h"
#include "ui/images/image_model.h"

class QJsonValue;

namespace disklathe::ui {

// An image served to NBD clients, read-only, by `disklathe serve` in a process of its own that ends with this object.
// Who reads it, and what, is asked once a second (`disklathe serve --status`).
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

  struct Client {
    QString name;   // of its program, or its address
    QString where;  // "PID 41822"
    double seconds = 0;
    uint64_t requests = 0, read = 0;  // bytes
    double rate = 0;                  // bytes per second, of late
  };
  bool tells_clients() const { return told_; }  // false: not known who reads it
  const QVector<Client>& clients() const { return clients_; }
  uint64_t clients_left() const { return left_; }  // that were there, and are not
  // By all clients since it began, also those that have left.
  uint64_t bytes_read() const;
  const std::vector<Range>& touched() const { return touched_; }
  double rate() const;

 Q_SIGNALS:
  void changed();  // it began, ended, or has another address
  void looked();   // its clients

 private:
  void read_output();
  void finished();
  void look();
  void take_status();
  void touch_all(const QJsonValue& ranges);
  void touch(Range range);

  ImagePtr image_;
  QProcess process_, status_;
  QTimer clock_;
  QString uri_, problem_;
  QDateTime since_;
  QVector<Client> clients_;
  uint64_t left_ = 0, read_by_left_ = 0;  // clients, bytes
  std::vector<Range> touched_;            // in order, apart
  bool tcp_ = false, stopping_ = false, told_ = false;
};

}  // namespace disklathe::ui
