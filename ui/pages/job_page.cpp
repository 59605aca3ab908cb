// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job_page.h"

#include <QHBoxLayout>
#include <QLabel>

#include "ui/controls/buttons.h"
#include "ui/controls/figure.h"
#include "ui/controls/result_card.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_phases.h"
#include "ui/pages/job_painting.h"
#include "ui/pictures/allocation_map.h"
#include "ui/pictures/map_legend.h"
#include "ui/pictures/rate_plot.h"
#include "ui/theme/icons.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

JobPage::JobPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  result_ = new ResultCard;
  column->addWidget(result_);
  figures_ = new QWidget;
  auto* figures = new QHBoxLayout(figures_);
  figures->setContentsMargins(0, 0, 0, 0);
  figures->setSpacing(32);
  share_ = new Figure;
  bytes_ = new Figure;
  rate_ = new Figure;
  left_ = new Figure;
  for (Figure* figure : {share_, bytes_, rate_, left_}) figures->addWidget(figure);
  figures->addStretch(1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  pause_ = make_button({});
  cancel_ = make_button(tr("Cancel"), QLatin1String("dialog-cancel"));
  buttons->addWidget(pause_);
  buttons->addWidget(cancel_);
  figures->addLayout(buttons);
  column->addWidget(figures_);
  phases_ = new PhaseBar(false);
  column->addWidget(phases_);
  totals_ = new QWidget;
  auto* totals = new QHBoxLayout(totals_);
  totals->setContentsMargins(0, 0, 0, 0);
  totals->setSpacing(32);
  for (int i = 0; i < 4; ++i) {
    total_figures_ << new Figure;
    totals->addWidget(total_figures_.back());
  }
  totals->addStretch(1);
  column->addWidget(totals_);
  warning_ = new QWidget;
  auto* warning = new QHBoxLayout(warning_);
  warning->setContentsMargins(0, 0, 0, 0);
  warning->setSpacing(8);
  warning_sign_ = new QLabel;
  warning_words_ = new TextLabel({});
  warning_words_->set_elided();
  warning->addWidget(warning_sign_);
  warning->addWidget(warning_words_, 1);
  column->addWidget(warning_);
  notes_ = new TextLabel({}, Face::body, Ink::muted);
  notes_->setWordWrap(true);
  column->addWidget(notes_);
  column->addWidget(new Rule);
  legend_ = new MapLegend;
  column->addWidget(legend_);
  map_ = new AllocationMap;
  column->addWidget(map_, 4);
  plot_ = new RatePlot;
  column->addWidget(plot_, 1);
  rest_ = new TextLabel({}, Face::body, Ink::muted);
  rest_->setWordWrap(true);
  column->addWidget(rest_);
  column->addStretch(0);
  connect(pause_, &QPushButton::clicked, this, [this] {
    if (job_ && job_->worker()) job_->worker()->set_paused(!job_->paused());
  });
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (job_) job_->stop();
  });
  connect(result_, &ResultCard::save_report, this, [this] {
    if (job_) Q_EMIT save_report_wanted(job_);
  });
  connect(result_, &ResultCard::compare, this, [this] {
    if (job_) Q_EMIT compare_wanted(job_);
  });
  connect(result_, &ResultCard::again, this, [this] {
    if (job_) Q_EMIT again_wanted(job_);
  });
  connect(result_, &ResultCard::eject, this, [this] {
    if (job_) Q_EMIT eject_wanted(job_->request().target);
  });
}

void JobPage::set_job(QueuedJob* job, const ImagePtr& image) {
  if (job_) job_->disconnect(this);
  job_ = job;
  image_ = image;
  connect(job, &QueuedJob::changed, this, &JobPage::show_state);
  connect(job, &QueuedJob::progressed, this, &JobPage::show_progress);
  show_state();
}

void JobPage::show_state() {
  harmless_.reset();
  const bool ended = job_->state() == QueuedJob::State::ended;
  result_->setVisible(ended);
  figures_->setVisible(!ended);
  show_totals(ended);
  warning_->setVisible(!ended);
  if (ended) result_->show_result(job_->request(), *job_->result());
  const bool waiting = job_->state() == QueuedJob::State::waiting;
  notes_->set_text(waiting ? tr("Waiting: %1").arg(job_->why_waiting()) : QString());
  notes_->setVisible(waiting);
  const bool mapped = image_ && !image_->cells().empty();
  map_->setVisible(mapped);
  legend_->setVisible(mapped);
  if (mapped) map_->set_cells(image_->cells());
  show_progress();
}

// What it took, once that is known. Zeroed bytes stand apart: they were not moved.
void JobPage::show_totals(bool ended) {
  QVector<std::pair<QString, QString>> totals;
  const WorkerJob* worker = job_->worker();
  if (ended && worker && job_->result()->good() && job_->request().writes()) {
    const JobProgress& progress = worker->progress();
    const ProgressMeter& meter = worker->meter();
    const auto rate_of = [&](Phase phase, uint64_t bytes) -> std::optional<double> {
      const double seconds = meter.took(phase).value_or(0);
      return seconds > 0 && bytes ? std::optional(static_cast<double>(bytes) / seconds) : std::nullopt;
    };
    totals << std::pair(Sizes::duration(progress.seconds), tr("total"));
    if (const auto rate = rate_of(Phase::write, progress.written))
      totals << std::pair(Sizes::rate(*rate), tr("written, average"));
    if (const auto rate = rate_of(Phase::verify, progress.verified))
      totals << std::pair(Sizes::rate(*rate), tr("read back, average"));
    if (progress.zeroed)
      totals << std::pair(Sizes::decimal(progress.zeroed),
                          job_->request().device ? tr("zeroed") : tr("never allocated"));
  }
  totals_->setVisible(!totals.isEmpty());
  for (int i = 0; i < total_figures_.size(); ++i) {
    total_figures_[i]->setVisible(i < totals.size());
    if (i < totals.size()) total_figures_[i]->set(totals[i].first, totals[i].second);
  }
  QString rest;
  const auto& device = job_->request().device;
  if (!totals.isEmpty() && device && device->whole() && job_->request().kind() == job::Kind::convert) {
    const uint64_t image = job_->result()->bytes, all = device->disk.size;
    if (image && image < all)
      rest = tr("%1 is the image. The %2 after it on %3 were not touched.")
                 .arg(Sizes::decimal(image), Sizes::decimal(all - image), job_->request().target_name());
  }
  rest_->set_text(rest);
  rest_->setVisible(!rest.isEmpty());
}

void JobPage::show_pause() {
  const WorkerJob* worker = job_->worker();
  const bool paused = job_->paused();
  pause_->setVisible(worker && worker->capabilities().testFlag(KJob::Suspendable));
  pause_->setEnabled(worker && (paused || worker->can_pause()));
  if (resumes_ == paused) return;  // this is asked with each reading of the progress
  resumes_ = paused;
  pause_->setText(paused ? tr("Resume") : tr("Pause"));
  pause_->setIcon(action_icon(QLatin1String(paused ? "media-playback-start" : "media-playback-pause")));
}

void JobPage::show_progress() {
  phases_->set_phases(phases_of(*job_));
  show_map();
  show_pause();
  if (!job_->worker() || job_->state() == QueuedJob::State::ended) return;
  const JobProgress& progress = job_->worker()->progress();
  const auto share = progress.share();
  const bool verifying = progress.phase == Phase::verify;
  share_->set(share ? Sizes::percent(*share) : ResultWords::doing(progress, job_->request().kind()),
              !share                           ? tr("size not known yet")
              : progress.of_input()            ? tr("of the compressed input")
              : verifying                      ? tr("verified")
              : progress.phase == Phase::flush ? tr("flushing")
                                               : tr("written"));
  bytes_->set(Sizes::decimal(progress.position),
              progress.total_known ? tr("of %1").arg(Sizes::decimal(progress.total)) : tr("so far"));
  rate_->set(progress.paused         ? tr("Paused")
             : progress.stalled      ? tr("No answer")
             : progress.rate_now > 0 ? Sizes::rate(progress.rate_now)
                                     : QStringLiteral("…"),
             progress.stalled ? tr("for %1").arg(Sizes::duration(*progress.stalled))
                              : tr("average %1").arg(Sizes::rate(progress.rate_average)));
  left_->setVisible(!progress.paused);
  left_->set(progress.left ? Sizes::time_left(progress.left->least, progress.left->most) : QStringLiteral("…"),
             tr("left"));
  warning_words_->set_text(ResultWords::if_cancelled(job_->request(), progress));
  const bool harmless = !job_->request().device || verifying || progress.phase == Phase::prepare;
  if (harmless_ == harmless) return;
  harmless_ = harmless;
  warning_sign_->setPixmap(action_icon(QLatin1String(harmless ? "data-information" : "data-warning"))
                               .pixmap(QSize(16, 16), devicePixelRatioF()));
}

void JobPage::show_map() {
  const WorkerJob* worker = job_->worker();
  if (!worker) return plot_->hide();
  const JobProgress& progress = worker->progress();
  plot_->setVisible(!worker->meter().writing().rates.isEmpty() || !worker->meter().verifying().rates.isEmpty());
  plot_->set_rates(worker->meter().writing(), worker->meter().verifying(), progress.total, !worker->ended());
  if (!map_->isVisibleTo(this)) return;
  const AllocationMap::Job painted = painted_by(*job_, image_->cells().size());
  map_->set_job(painted);
  legend_->set_items(legend_of(image_->cells(), &painted, width() >= 800));
}

}  // namespace disklathe::ui
