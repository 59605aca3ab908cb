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
  cancel_ = make_button(tr("Cancel"), QLatin1String("dialog-cancel"));
  figures->addWidget(cancel_);
  column->addWidget(figures_);
  phases_ = new PhaseBar(false);
  column->addWidget(phases_);
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
  column->addStretch(0);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (job_) job_->stop();
  });
  connect(result_, &ResultCard::save_report, this, [this] {
    if (job_) Q_EMIT save_report_wanted(job_);
  });
  connect(result_, &ResultCard::compare, this, [this] {
    if (job_) Q_EMIT compare_wanted(job_);
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
  const bool ended = job_->state() == QueuedJob::State::ended;
  result_->setVisible(ended);
  figures_->setVisible(!ended);
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

void JobPage::show_progress() {
  phases_->set_phases(phases_of(*job_));
  show_map();
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
  rate_->set(progress.stalled        ? tr("No answer")
             : progress.rate_now > 0 ? Sizes::rate(progress.rate_now)
                                     : QStringLiteral("…"),
             progress.stalled ? tr("for %1").arg(Sizes::duration(*progress.stalled))
                              : tr("average %1").arg(Sizes::rate(progress.rate_average)));
  left_->set(progress.left ? Sizes::time_left(progress.left->least, progress.left->most) : QStringLiteral("…"),
             tr("left"));
  warning_words_->set_text(ResultWords::if_cancelled(job_->request(), progress));
  const bool harmless = !job_->request().device || verifying || progress.phase == Phase::prepare;
  warning_sign_->setPixmap(action_icon(QLatin1String(harmless ? "data-information" : "data-warning"))
                               .pixmap(QSize(16, 16), devicePixelRatioF()));
}

void JobPage::show_map() {
  const WorkerJob* worker = job_->worker();
  if (!worker) return plot_->hide();
  const JobProgress& progress = worker->progress();
  const JobResult* result = job_->result();
  plot_->setVisible(!worker->meter().writing().rates.isEmpty() || !worker->meter().verifying().rates.isEmpty());
  plot_->set_rates(worker->meter().writing(), worker->meter().verifying(), progress.total);
  if (!map_->isVisibleTo(this)) return;
  const ContentCells& cells = image_->cells();
  const bool past_writing = progress.phase >= Phase::flush || (result && result->good());
  AllocationMap::Job painted{.written = past_writing ? cells.size() : progress.position,
                             .verified = progress.phase == Phase::verify ? progress.verified : 0};
  if (result && result->state == JobResult::State::verified) painted.verified = cells.size();
  if (result && result->error && result->state == JobResult::State::differs) painted.differs = result->error->offset;
  if (!result) painted.now = progress.phase == Phase::verify ? progress.verified : painted.written;
  map_->set_job(painted);

  QVector<MapLegend::Item> items;
  for (const auto kind :
       {ContentKind::data, ContentKind::compressed, ContentKind::backing, ContentKind::zero, ContentKind::hole})
    if (cells.total(kind))
      items << MapLegend::Item{MapLegend::Mark::kind, kind, name_of_kind(kind),
                               width() < 800 ? QString() : Sizes::decimal(cells.total(kind))};
  items << MapLegend::Item{.mark = MapLegend::Mark::written, .name = tr("written")}
        << MapLegend::Item{.mark = MapLegend::Mark::verified, .name = tr("verified")};
  if (painted.now) items << MapLegend::Item{.mark = MapLegend::Mark::now, .name = tr("now")};
  if (painted.differs) items << MapLegend::Item{.mark = MapLegend::Mark::differs, .name = tr("differs")};
  legend_->set_items(items);
}

}  // namespace disklathe::ui
