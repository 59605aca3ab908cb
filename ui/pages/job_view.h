// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"
#include "ui/pages/thing_view.h"

namespace disklathe::ui {

class JobPage;
class LogPage;

// One job: its page and its log, under the name of what it reads and a badge of where it goes.
class JobView : public ThingView {
  Q_OBJECT
 public:
  explicit JobView(QWidget* parent = nullptr);
  void set_job(QueuedJob* job, const ImagePtr& image);
  QueuedJob* job() const { return job_; }
  JobPage& page() { return *page_; }

 private:
  void show_log();

  QPointer<QueuedJob> job_;
  JobPage* page_;
  LogPage* log_;
};

}  // namespace disklathe::ui
