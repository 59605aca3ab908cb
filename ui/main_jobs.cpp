// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_jobs.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QSaveFile>
#include <QStackedWidget>

#include "ui/desktop/disk_service.h"
#include "ui/devices/device_model.h"
#include "ui/devices/device_watch.h"
#include "ui/dialogs/closing_dialog.h"
#include "ui/dialogs/problem_box.h"
#include "ui/flows/conversion_flow.h"
#include "ui/jobs/exports.h"
#include "ui/jobs/history.h"
#include "ui/jobs/job_queue.h"
#include "ui/jobs/kept_jobs.h"
#include "ui/jobs/speeds.h"
#include "ui/main_window.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/image_view.h"
#include "ui/pages/job_page.h"
#include "ui/pages/job_view.h"
#include "ui/pages/welcome_page.h"
#include "ui/pages/zero_page.h"
#include "ui/panes/jobs_pane.h"

namespace disklathe::ui {

MainJobs::MainJobs(MainWindow& window) : QObject(&window), window_(window), kept_(new KeptJobs(*window.queue_, this)) {
  JobQueue* queue = window.queue_;
  connect(window.flow_, &ConversionFlow::queued, this, [this](QueuedJob* job) {
    if (job->request().kind() != job::Kind::sweep) window_.show_job(job);  // its page shows it
  });
  connect(window.jobs_pane_, &JobsPane::chosen, &window, &MainWindow::show_job);
  connect(queue, &JobQueue::started, this, &MainJobs::began);
  connect(queue, &JobQueue::ended, this, &MainJobs::ended);
  connect(queue, &JobQueue::removed, this, [this](QueuedJob* job) {
    const bool shown = window_.stack_->currentWidget() == window_.job_view_ && window_.job_view_->job() == job;
    if (shown) window_.show_page(window_.welcome_);
  });
  connect(window.exports_, &Exports::changed, this, &MainJobs::quit_if_idle);
  connect_page();
}

void MainJobs::find_kept() { kept_->find(); }

void MainJobs::began(QueuedJob* job) {
  if (!job->request().device) return;
  connect(job, &QueuedJob::progressed, this, [this, job] {
    if (job->worker())
      window_.devices_->set_progress(job->request().target, job->worker()->progress().share().value_or(0));
  });
}

void MainJobs::ended(QueuedJob* job) {
  if (job->request().device) window_.devices_->set_progress(job->request().target, -1);
  window_.history_->add(*job);
  Speeds::learn_from(*job);
  ZeroPage::remember(*job);
  // The new file is there to be looked at, and to be dragged from.
  const JobRequest& request = job->request();
  if (job->result()->good() && request.kind() == job::Kind::convert && !request.device)
    window_.open_one(QUrl::fromLocalFile(request.target));
  window_.watch_->look_again();
  quit_if_idle();
}

void MainJobs::connect_page() {
  JobPage* page = &window_.job_view_->page();
  connect(page, &JobPage::save_report_wanted, this, &MainJobs::save_report);
  connect(page, &JobPage::again_wanted, this, [this](QueuedJob* job) {
    const QString source = job->request().source;
    window_.flow_->again(source.isEmpty() ? nullptr : window_.source_at(source), *job);
  });
  connect(page, &JobPage::eject_wanted, this, [this](const QString& node) {
    DiskService::eject(node, this, [this](const QString& why) {
      if (!why.isEmpty()) show_problem(&window_, tr("It was not ejected"), why);
    });
  });
  connect(page, &JobPage::compare_wanted, this, [this](QueuedJob* job) {
    const ImagePtr image = window_.image_of(job->request().source);
    if (!image) return;
    window_.show_image(image);
    window_.compare_page_->set_other(job->request().target);
    window_.image_view_->show_compare();
  });
}

void MainJobs::save_report(QueuedJob* job) {
  for (const History::Entry& entry : window_.history_->entries()) {
    if (entry.when != job->ended_at()) continue;
    const QString path = QFileDialog::getSaveFileName(&window_, tr("Save Report"), tr("report.txt"));
    QSaveFile file(path);
    if (!path.isEmpty() && file.open(QIODevice::WriteOnly) && file.write(History::report(entry).toUtf8()) >= 0)
      file.commit();
    return;
  }
}

void MainJobs::closing(QCloseEvent* event) {
  const auto exports = window_.exports_->running();
  const bool idle = window_.queue_->running() + window_.queue_->waiting() == 0 && exports.isEmpty();
  if (idle || quitting_) return event->accept();
  event->ignore();
  switch (ClosingDialog(*window_.queue_, exports, &window_).ask()) {
    case ClosingDialog::Choice::cancel: return;
    case ClosingDialog::Choice::keep_running:
      window_.queue_->keep_all();
      window_.hide();
      return quit_after_all();
    case ClosingDialog::Choice::stop:
      quit_after_all();
      window_.exports_->stop_all();
      window_.queue_->stop_all();
  }
}

void MainJobs::quit_after_all() {
  quitting_ = true;
  QApplication::setQuitOnLastWindowClosed(false);
}

void MainJobs::quit_if_idle() {
  const bool idle = window_.queue_->running() + window_.queue_->waiting() == 0 && window_.exports_->running().isEmpty();
  if (quitting_ && idle) QApplication::quit();
}

void MainJobs::stay() {
  quitting_ = false;
  QApplication::setQuitOnLastWindowClosed(true);
}

}  // namespace disklathe::ui
