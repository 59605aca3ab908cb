// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/job_row.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/jobs/job_phases.h"
#include "ui/pictures/phase_bar.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

JobRow::JobRow(QueuedJob& job, QWidget* parent) : PaneRow(parent), job_(job) {
  const QString title = ResultWords::title(job.request());
  setAccessibleName(title);
  const auto& written = job.request().device;
  const auto& read = job.request().read;
  mark_ = new GlyphView(written ? DeviceWords::glyph(written->disk)
                        : read  ? DeviceWords::glyph(read->disk)
                                : Glyph::image,
                        22);
  row().addWidget(mark_);
  state_ = add_words(title);
  bar_ = new PhaseBar(true);
  row().addWidget(bar_, 4);
  rate_ = new TextLabel({});
  rate_->setMinimumWidth(80);
  left_ = new TextLabel({});
  left_->setMinimumWidth(110);
  for (TextLabel* label : {rate_, left_}) {
    label->set_trailing();
    row().addWidget(label);
  }
  pause_ = make_tool({}, {});
  pause_->setFixedSize(32, 32);
  row().addWidget(pause_);
  connect(pause_, &QToolButton::clicked, this, [this] { job_.worker()->set_paused(!job_.paused()); });
  end_ = make_tool({}, {});
  end_->setFixedSize(32, 32);
  row().addWidget(end_);
  connect(end_, &QToolButton::clicked, this, [this] {
    if (job_.state() == QueuedJob::State::ended)
      Q_EMIT dismissed();
    else
      job_.stop();
  });
  connect(&job, &QueuedJob::changed, this, &JobRow::show_state);
  connect(&job, &QueuedJob::progressed, this, &JobRow::show_progress);
  show_state();
}

void JobRow::show_state() {
  const bool ended = job_.state() == QueuedJob::State::ended, waiting = job_.state() == QueuedJob::State::waiting;
  end_->setIcon(action_icon(QLatin1String(ended ? "list-remove" : "dialog-cancel")));
  const QString what = (ended ? tr("Remove %1 from the list") : tr("Cancel %1")).arg(accessibleName());
  end_->setAccessibleName(what);
  end_->setToolTip(ended ? tr("Remove from the list") : tr("Cancel"));
  bar_->setVisible(!waiting && !ended);
  if (ended) {
    mark_->set_glyph(job_.result()->good() ? Glyph::good : Glyph::bad);
    state_->set_ink(job_.result()->good() ? Ink::window_muted : Ink::bad);
    state_->set_text(ResultWords::sentence(*job_.result()));
    rate_->set_text({});
    left_->set_text({});
  } else if (waiting) {
    state_->set_text(tr("Waiting: %1").arg(job_.why_waiting()));
  } else {
    state_->set_text(tr("Preparing"));
    show_progress();
  }
  show_pause();
  setAccessibleDescription(state_->whole_text());
}

void JobRow::show_pause() {
  const WorkerJob* worker = job_.state() == QueuedJob::State::running ? job_.worker() : nullptr;
  const bool paused = job_.paused();
  pause_->setVisible(worker && worker->capabilities().testFlag(KJob::Suspendable));
  pause_->setEnabled(worker && (paused || worker->can_pause()));
  if (resumes_ == paused) return;  // this is asked with each reading of the progress
  resumes_ = paused;
  pause_->setIcon(action_icon(QLatin1String(paused ? "media-playback-start" : "media-playback-pause")));
  pause_->setAccessibleName((paused ? tr("Resume %1") : tr("Pause %1")).arg(accessibleName()));
  pause_->setToolTip(paused ? tr("Resume") : tr("Pause"));
}

void JobRow::show_progress() {
  if (!job_.worker() || job_.state() != QueuedJob::State::running) return;
  const JobProgress& progress = job_.worker()->progress();
  state_->set_text(ResultWords::doing(progress, job_.request().kind()));
  setAccessibleDescription(state_->whole_text());
  bar_->set_phases(phases_of(job_));
  show_pause();
  rate_->set_text(!progress.paused && progress.rate_now > 0 ? Sizes::rate(progress.rate_now) : QString());
  left_->set_text(progress.left ? tr("%1 left").arg(Sizes::time_left(progress.left->least, progress.left->most))
                                : QString());
}

}  // namespace disklathe::ui
