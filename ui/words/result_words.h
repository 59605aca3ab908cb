// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "ui/jobs/job_request.h"
#include "ui/jobs/job_result.h"
#include "ui/jobs/progress_meter.h"

namespace disklathe::ui {

// The sentences about jobs. The four about a written target are said here and nowhere else: window, tray, notification,
// history and report show the same words.
class ResultWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::ResultWords)

 public:
  static QString sentence(const JobResult& result);
  // What it means, and what to do: the line under it.
  static QString meaning(const JobRequest& request, const JobResult& result);

  static QString title(const JobRequest& request);                        // "win11.qcow2 → Samsung T7"
  static QString waits(const QString& thing, const JobRequest& earlier);  // "sdc is busy. Starts after win11.qcow2."
  static QString kind(job::Kind kind);                                    // "Convert"
  static QString phase(Phase phase, job::Kind kind);                      // "Write"
  static QString doing(const JobProgress& progress, job::Kind kind);      // "Writing 62 %"
  // What is left behind when it is cancelled now.
  static QString if_cancelled(const JobRequest& request, const JobProgress& progress);
  // What stays to be said of a result.
  static QString old_partitions();
  static QString room(uint64_t free, uint64_t needed);  // bytes

 private:
  static QString source(const JobRequest& request);
  static QString target(const JobRequest& request);
  static QString told_apart(const QString& name, const Disk& disk);
  static QString left_behind(const JobRequest& request, const JobResult& result);  // by a job that failed
};

}  // namespace disklathe::ui
