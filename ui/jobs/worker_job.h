// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <KJob>
#include <QSocketNotifier>
#include <memory>

#include "core/base/pausable_clock.h"
#include "core/job/client.h"
#include "ui/jobs/job_request.h"
#include "ui/jobs/job_result.h"
#include "ui/jobs/progress_meter.h"

namespace disklathe::ui {

struct JobFiles;

// A job in a process of its own (disklathe-worker): has the files opened as the user and handed over (job_files), talks
// to the worker, and tells how it goes; what it came to is told by job_verdict. A device that the user may not open is
// opened by the helper, which asks polkit. No byte of an image is looked at in this process. Give it to a tracker
// before start() and the desktop shows it, too.
class WorkerJob : public KJob {
  Q_OBJECT
 public:
  explicit WorkerJob(JobRequest request, QObject* parent = nullptr);
  // One that went on without its window, under this id: `client` has been told what it is.
  struct Kept {
    std::string id;
    std::unique_ptr<job::Client> client;
    job::Attached told;
    std::vector<Descriptor> written;  // of the files it writes
  };
  WorkerJob(JobRequest request, Kept kept, QObject* parent = nullptr);
  ~WorkerJob() override;

  void start() override;
  // Ends soon with a result that says so. Any time; twice kills.
  void stop();
  // Nothing new is begun until it is resumed. Not for measurements, and not while it is opened or flushed.
  bool can_pause() const;
  void set_paused(bool paused);
  // From now on it goes on also when this process ends; the next one finds it (ui/jobs/kept_jobs).
  void keep();

  const JobRequest& request() const { return request_; }
  const JobProgress& progress() const { return progress_; }
  const ProgressMeter& meter() const { return meter_; }
  bool ended() const { return result_.has_value(); }
  const JobResult& result() const { return *result_; }  // once ended
  const QStringList& log() const { return log_; }
  // Why a file that an image names was not opened: nobody approved of it. Where the names lead.
  struct Refused {
    QString image, name, path, format;
  };
  const QList<Refused>& refused() const { return refused_; }

 Q_SIGNALS:
  void progressed();
  void noted(const QString& line);
  void logged(const QString& line);
  void mapped(const std::vector<disklathe::job::MapEntry>& entries);
  void done();  // result() is there; result(KJob*) follows

 protected:
  bool doKill() override;
  bool doSuspend() override;
  bool doResume() override;

 private:
  void opened(const std::shared_ptr<JobFiles>& files);
  void talk_to(std::unique_ptr<job::Client> client);
  void take_events();
  void take(const job::Hello& hello);
  void take(const job::Reading& reading);
  void take(const job::Note& note);
  void take(const job::Question& question);
  void take(const job::Piece& piece);
  void take(const job::Attached&) {}
  void take(const job::Client::Ended& ended);
  struct Ending;
  void complete(Result<job::Outcome> outcome);
  void end(JobResult result);
  void add_log(const QString& line);
  double seconds() const { return std::chrono::duration<double>(clock_.now() - began_).count(); }  // without pauses

  JobRequest request_;
  ProgressMeter meter_;
  JobProgress progress_;
  std::optional<JobResult> result_;
  QStringList log_;
  QList<Refused> refused_;
  PausableClock clock_;
  Clock::Time began_{0};
  std::chrono::nanoseconds ran_{0};  // before this took it in
  std::shared_ptr<JobFiles> files_;
  std::unique_ptr<job::Client> client_;
  std::unique_ptr<QSocketNotifier> notifier_;
  std::string kept_id_;  // empty: it ends with this process
  bool stopping_ = false, begun_ = false, asked_helper_ = false, mixed_ = false;
};

}  // namespace disklathe::ui
