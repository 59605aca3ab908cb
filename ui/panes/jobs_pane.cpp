// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/jobs_pane.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/jobs/exports.h"
#include "ui/panes/export_row.h"
#include "ui/panes/job_row.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {
namespace {

// What only looks at an image belongs to its page.
bool is_shown(const QueuedJob& job) {
  return job.request().kind() != job::Kind::inspect && job.request().kind() != job::Kind::map;
}

}  // namespace

JobsPane::JobsPane(JobQueue& queue, Exports& exports, QWidget* parent)
    : QWidget(parent), queue_(queue), exports_(exports) {
  setAccessibleName(tr("Jobs"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* top = new QWidget;
  top->setFixedHeight(32);
  auto* head = new QHBoxLayout(top);
  head->setContentsMargins(16, 0, 8, 0);
  head->setSpacing(8);
  head->addWidget(new TextLabel(tr("Jobs"), Face::section, Ink::window_muted));
  counts_ = new TextLabel({}, Face::caption, Ink::window_muted);
  head->addWidget(counts_);
  head->addStretch(1);
  auto* history = make_tool(tr("History"), action_icon(QLatin1String("view-history")));
  connect(history, &QToolButton::clicked, this, &JobsPane::history_wanted);
  head->addWidget(history);
  column->addWidget(top);
  rows_ = new QVBoxLayout;
  rows_->setSpacing(0);
  column->addLayout(rows_);
  connect(&queue, &JobQueue::added, this, &JobsPane::add);
  connect(&queue, &JobQueue::removed, this, &JobsPane::remove);
  connect(&queue, &JobQueue::counts_changed, this, &JobsPane::count);
  connect(&exports, &Exports::changed, this, &JobsPane::show_exports);
  count();
}

void JobsPane::add(QueuedJob* job) {
  if (!is_shown(*job)) return;
  auto* row = new JobRow(*job);
  row_of_[job] = row;
  rows_->addWidget(row);
  connect(row, &JobRow::chosen, this, [this, job] { Q_EMIT chosen(job); });
  connect(row, &JobRow::dismissed, this, [this, job] { queue_.remove(job); });
  count();
}

void JobsPane::remove(QueuedJob* job) {
  if (JobRow* row = row_of_.take(job)) row->deleteLater();
  count();
}

void JobsPane::show_exports() {
  const QList<ExportServer*> running = exports_.running();
  for (ExportServer* server : export_row_of_.keys())
    if (!running.contains(server)) export_row_of_.take(server)->deleteLater();
  for (ExportServer* server : running) {
    if (export_row_of_.contains(server)) continue;
    auto* row = new ExportRow(*server);
    export_row_of_[server] = row;
    rows_->addWidget(row);
    connect(row, &ExportRow::chosen, this, [this, server] { Q_EMIT export_chosen(server->image()); });
  }
  count();
}

void JobsPane::set_compact(bool compact) {
  compact_ = compact;
  count();
}

void JobsPane::count() {
  QStringList counts;
  if (const int running = queue_.running()) counts << tr("%n running", nullptr, running);
  if (const int waiting = queue_.waiting()) counts << tr("%n waiting", nullptr, waiting);
  if (!export_row_of_.isEmpty()) counts << tr("%n served", nullptr, static_cast<int>(export_row_of_.size()));
  counts_->set_text(counts.isEmpty() ? tr("none running") : counts.join(QStringLiteral(", ")));
  // Where there is room for one only: what runs before what waits, what is served, and what failed.
  QList<QWidget*> wanted, later;
  for (QueuedJob* job : queue_.jobs()) {
    JobRow* row = row_of_.value(job);
    if (!row) continue;
    // What went well is told by its page and the history; what failed stays until somebody has seen it.
    const JobResult* result = job->result();
    if (job->state() == QueuedJob::State::running)
      wanted << row;
    else if (!result || (!result->good() && !result->stopped()))
      later << row;
    else
      row->hide();
  }
  for (ExportRow* row : export_row_of_) wanted << row;
  wanted << later;
  for (qsizetype i = 0; i < wanted.size(); ++i) wanted[i]->setVisible(!compact_ || i == 0);
}

}  // namespace disklathe::ui
