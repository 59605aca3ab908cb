// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <memory>
#include <vector>

#include "ui/jobs/job_queue.h"

namespace disklathe::ui {

// Jobs that were told to go on when their window was closed, and whose process ended: found at the next start, and put
// into the queue as what runs. One that another program watches shows once that lets go of it.
class KeptJobs : public QObject {
  Q_OBJECT
 public:
  explicit KeptJobs(JobQueue& queue, QObject* parent = nullptr);
  ~KeptJobs() override;
  void find();

 private:
  struct Waiting;
  void take_events(Waiting& waiting);
  void adopt(Waiting& waiting, const job::Attached& attached);

  JobQueue& queue_;
  std::vector<std::unique_ptr<Waiting>> waiting_;
};

}  // namespace disklathe::ui
