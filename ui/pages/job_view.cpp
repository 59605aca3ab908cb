// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job_view.h"

#include <QFileInfo>

#include "ui/controls/page_tabs.h"
#include "ui/images/open_image.h"
#include "ui/pages/job_page.h"
#include "ui/pages/log_page.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {

JobView::JobView(QWidget* parent) : ThingView(tr("Pages of the job"), parent) {
  page_ = new JobPage;
  log_ = new LogPage;
  add_page(tr("Progress"), page_);
  add_page(tr("Log"), log_);
  connect(this, &ThingView::page_shown, this, &JobView::show_log);
}

void JobView::set_job(QueuedJob* job, const ImagePtr& image) {
  if (job_) job_->disconnect(this);
  job_ = job;
  const JobRequest& request = job->request();
  const QString title = request.source.isEmpty() ? request.target_name() : request.source_name();
  if (request.read)
    set_header(DeviceWords::glyph(request.read->disk), title, DeviceWords::facts(request.read->disk), {});
  else
    set_header(Glyph::image, title,
               image ? image->facts() : (request.source.isEmpty() ? request.target : request.source), {});
  set_pill(request.writes() ? tr("to %1", "the target").arg(request.target_name()) : ResultWords::kind(request.kind()));
  page_->set_job(job, image);
  connect(job, &QueuedJob::changed, this, &JobView::show_log);
  connect(job, &QueuedJob::progressed, this, &JobView::show_log);
  show_log();
}

void JobView::show_log() {
  if (job_ && job_->worker() && tabs().currentIndex() == 1) log_->set_lines(job_->worker()->log());
}

}  // namespace disklathe::ui
