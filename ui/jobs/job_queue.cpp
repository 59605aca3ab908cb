// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_queue.h"

#include <QFileInfo>
#include <algorithm>

#include "ui/words/result_words.h"

namespace disklathe::ui {
namespace {

// What a job uses, by name: whole disks, so that a partition and its disk are one.
struct Uses {
  QStringList reads, writes;
};

QString whole_disk_of(const QString& path) {
  QString node = QFileInfo(path).canonicalFilePath();
  if (!node.startsWith(QLatin1String("/dev/"))) return path;
  const QString name = node.section(QLatin1Char('/'), -1);
  // A partition's folder in sysfs lies in its disk's.
  const QFileInfo folder(QStringLiteral("/sys/class/block/") + name);
  if (!QFileInfo::exists(folder.filePath() + QLatin1String("/partition"))) return node;
  return QLatin1String("/dev/") + QFileInfo(folder.canonicalFilePath()).dir().dirName();
}

Uses uses_of(const JobRequest& request) {
  Uses uses;
  for (const QString& path : {request.source, request.other})
    if (!path.isEmpty()) uses.reads << whole_disk_of(path);
  if (!request.target.isEmpty()) uses.writes << whole_disk_of(request.target);
  return uses;
}

bool is_device(const QString& path) {
  return path.startsWith(QLatin1String("/dev/")) && !path.startsWith(QLatin1String("/dev/shm/"));
}

// The thing both want, where they cannot have it at the same time.
QString contested(const Uses& a, const Uses& b) {
  for (const QString& path : a.writes)
    if (b.writes.contains(path) || b.reads.contains(path)) return path;
  for (const QString& path : a.reads)
    if (b.writes.contains(path) || (is_device(path) && b.reads.contains(path))) return path;
  return {};
}

}  // namespace

QueuedJob::QueuedJob(JobRequest request, QObject* parent) : QObject(parent), request_(std::move(request)) {}

void QueuedJob::set_waiting(const QString& why) {
  if (why == why_waiting_) return;
  why_waiting_ = why;
  Q_EMIT changed();
}

void QueuedJob::run(WorkerJob* worker) {
  state_ = State::running;
  why_waiting_.clear();
  began_ = QDateTime::currentDateTime();
  worker_ = worker;
  worker_->setParent(this);
  connect(worker_, &WorkerJob::progressed, this, &QueuedJob::progressed);
  Q_EMIT changed();
}

void QueuedJob::finish(JobResult result) {
  state_ = State::ended;
  ended_at_ = QDateTime::currentDateTime();
  result_ = std::move(result);
  Q_EMIT changed();
}

void QueuedJob::stop() {
  if (worker_)
    worker_->stop();
  else if (state_ == State::waiting)
    finish({.state = JobResult::State::failed,
            .error = Error{.kind = ErrorKind::stopped},
            .kept = !request_.device && QFileInfo::exists(request_.target)});
}

QueuedJob* JobQueue::add(JobRequest request) {
  QueuedJob* job = enlist(std::move(request));
  start_what_can();
  return job;
}

QueuedJob* JobQueue::adopt(JobRequest request, WorkerJob::Kept kept) {
  auto* worker = new WorkerJob(request, std::move(kept));
  QueuedJob* job = enlist(std::move(request));
  start(*job, worker);
  start_what_can();
  return job;
}

QueuedJob* JobQueue::enlist(JobRequest request) {
  auto* job = new QueuedJob(std::move(request), this);
  jobs_ << job;
  connect(job, &QueuedJob::changed, this, [this, job] {
    // One that was stopped while it waited.
    if (job->state() == QueuedJob::State::ended && !job->worker()) {
      Q_EMIT ended(job);
      Q_EMIT counts_changed();
    }
  });
  Q_EMIT added(job);
  return job;
}

void JobQueue::start(QueuedJob& job, WorkerJob* worker) {
  job.run(worker);
  connect(worker, &WorkerJob::done, this, [this, &job] {
    job.finish(job.worker()->result());
    Q_EMIT ended(&job);
    Q_EMIT counts_changed();
    start_what_can();
  });
  Q_EMIT started(&job);  // before its start, so that a tracker sees all of it
  worker->start();
}

QueuedJob* JobQueue::blocker_of(const QueuedJob& job) const {
  const Uses uses = uses_of(job.request());
  for (QueuedJob* earlier : jobs_) {
    if (earlier == &job) return nullptr;
    if (earlier->state() != QueuedJob::State::ended && !contested(uses, uses_of(earlier->request())).isEmpty())
      return earlier;
  }
  return nullptr;
}

void JobQueue::start_what_can() {
  for (QueuedJob* job : QList(jobs_)) {
    if (job->state() != QueuedJob::State::waiting) continue;
    if (const QueuedJob* blocker = blocker_of(*job)) {
      const QString what =
          contested(uses_of(job->request()), uses_of(blocker->request())).section(QLatin1Char('/'), -1);
      job->set_waiting(ResultWords::waits(what, blocker->request()));
      continue;
    }
    start(*job, new WorkerJob(job->request()));
  }
  Q_EMIT counts_changed();
}

void JobQueue::remove(QueuedJob* job) {
  if (job->state() != QueuedJob::State::ended) return;
  jobs_.removeOne(job);
  Q_EMIT removed(job);
  Q_EMIT counts_changed();
  job->deleteLater();
}

int JobQueue::running() const {
  return static_cast<int>(std::ranges::count(jobs_, QueuedJob::State::running, &QueuedJob::state));
}
int JobQueue::waiting() const {
  return static_cast<int>(std::ranges::count(jobs_, QueuedJob::State::waiting, &QueuedJob::state));
}

void JobQueue::stop_all() {
  // Those that wait first: they must not start in the place of one that ends.
  for (QueuedJob* job : QList(jobs_))
    if (job->state() == QueuedJob::State::waiting) job->stop();
  for (QueuedJob* job : QList(jobs_))
    if (job->state() == QueuedJob::State::running) job->stop();
}

void JobQueue::keep_all() {
  for (QueuedJob* job : jobs_)
    if (job->state() == QueuedJob::State::running) job->worker()->keep();
}

}  // namespace disklathe::ui
