// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <memory>
#include <vector>

#include "ui/jobs/worker_job.h"

namespace disklathe::ui {

// A job of the queue, from when it was asked for until it is taken out of the list.
class QueuedJob : public QObject {
  Q_OBJECT
 public:
  QueuedJob(JobRequest request, QObject* parent);

  enum class State : uint8_t { waiting, running, ended };
  State state() const { return state_; }
  const JobRequest& request() const { return request_; }
  const QString& why_waiting() const { return why_waiting_; }  // "sdc is busy. Starts after win11.qcow2."
  WorkerJob* worker() const { return worker_; }                // null while it waits
  const JobResult* result() const { return result_ ? &*result_ : nullptr; }
  const QDateTime& began() const { return began_; }
  const QDateTime& ended_at() const { return ended_at_; }

  void stop();  // also while it waits
  bool paused() const { return worker_ && worker_->progress().paused; }

 Q_SIGNALS:
  void changed();     // its state, why it waits
  void progressed();  // its numbers

 private:
  friend class JobQueue;
  void set_waiting(const QString& why);
  void run(WorkerJob* worker);
  void finish(JobResult result);

  JobRequest request_;
  State state_ = State::waiting;
  QString why_waiting_;
  WorkerJob* worker_ = nullptr;
  std::optional<JobResult> result_;
  QDateTime began_, ended_at_;
};

// Runs jobs: at once where nobody else uses what they need, else when that is free. One job a device; nobody reads what
// another one writes.
class JobQueue : public QObject {
  Q_OBJECT
 public:
  explicit JobQueue(QObject* parent = nullptr) : QObject(parent) {}

  QueuedJob* add(JobRequest request);
  // One that runs already, begun by an earlier window.
  QueuedJob* adopt(JobRequest request, WorkerJob::Kept kept);
  void remove(QueuedJob* job);  // an ended one, from the list
  const QList<QueuedJob*>& jobs() const { return jobs_; }
  int running() const;
  int waiting() const;
  void stop_all();
  // What runs goes on also when this process ends. What waits needs it.
  void keep_all();

 Q_SIGNALS:
  void added(disklathe::ui::QueuedJob* job);
  void started(disklathe::ui::QueuedJob* job);
  void ended(disklathe::ui::QueuedJob* job);
  void removed(disklathe::ui::QueuedJob* job);
  void counts_changed();

 private:
  QueuedJob* enlist(JobRequest request);
  void start(QueuedJob& job, WorkerJob* worker);
  void start_what_can();
  // The job that must end first; null: none.
  QueuedJob* blocker_of(const QueuedJob& job) const;

  QList<QueuedJob*> jobs_;
};

}  // namespace disklathe::ui
