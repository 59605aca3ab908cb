// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QThreadPool>
#include <QVector>

#include "ui/jobs/job_queue.h"

namespace disklathe::ui {

// What was done: kept between starts, the newest first.
class History : public QObject {
  Q_OBJECT
 public:
  explicit History(QObject* parent = nullptr);

  struct Entry {
    QDateTime when;
    QString kind, title, source, target, target_model, target_serial;
    QString result;  // one of the sentences
    bool good = false;
    uint64_t bytes = 0;
    double seconds = 0;
    QString source_format, format;  // to fill the dialog again
    bool device = false;
  };
  void add(const QueuedJob& job);
  const QVector<Entry>& entries() const { return entries_; }
  // For people who must show what was done.
  static QString report(const Entry& entry);

 Q_SIGNALS:
  void changed();

 private:
  void load();
  void save();

  QVector<Entry> entries_;
  QThreadPool writer_;  // one thread: in order, and the window does not wait for the disk
};

}  // namespace disklathe::ui
