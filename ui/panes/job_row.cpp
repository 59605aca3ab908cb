// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/job_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/jobs/job_phases.h"
#include "ui/pictures/phase_bar.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

JobRow::JobRow(QueuedJob& job, QWidget* parent) : QWidget(parent), job_(job) {
  setFixedHeight(44);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  const QString title = ResultWords::title(job.request());
  setAccessibleName(title);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 0, 8, 0);
  row->setSpacing(16);
  const auto& device = job.request().device;
  mark_ = new GlyphView(device ? DeviceWords::glyph(device->disk) : Glyph::image, 22);
  row->addWidget(mark_);
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  auto* name = new TextLabel(title);
  name->set_elided();
  state_ = new TextLabel({}, Face::caption, Ink::window_muted);
  state_->set_elided();
  words->addStretch(1);
  words->addWidget(name);
  words->addWidget(state_);
  words->addStretch(1);
  row->addLayout(words, 4);
  bar_ = new PhaseBar(true);
  row->addWidget(bar_, 4);
  rate_ = new TextLabel({});
  rate_->setMinimumWidth(80);
  left_ = new TextLabel({});
  left_->setMinimumWidth(110);
  for (TextLabel* label : {rate_, left_}) {
    label->setAlignment(Qt::AlignTrailing | Qt::AlignVCenter);
    row->addWidget(label);
  }
  end_ = make_tool({}, {});
  end_->setFixedSize(32, 32);
  row->addWidget(end_);
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
  setAccessibleDescription(state_->whole_text());
}

void JobRow::show_progress() {
  if (!job_.worker() || job_.state() != QueuedJob::State::running) return;
  const JobProgress& progress = job_.worker()->progress();
  state_->set_text(ResultWords::doing(progress, job_.request().kind()));
  setAccessibleDescription(state_->whole_text());
  bar_->set_phases(phases_of(job_));
  rate_->set_text(progress.rate_now > 0 ? Sizes::rate(progress.rate_now) : QString());
  left_->set_text(progress.left ? tr("%1 left").arg(Sizes::time_left(progress.left->least, progress.left->most))
                                : QString());
}

void JobRow::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const QRectF box = QRectF(rect()).adjusted(8.5, 1.5, -4.5, -1.5);
  if (underMouse()) {
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.window, t.text, 0.06));
    p.drawRoundedRect(box, 6, 6);
  }
  if (!hasFocus()) return;
  p.setPen(QPen(t.accent_ink, 2));
  p.setBrush(Qt::NoBrush);
  p.drawRoundedRect(box, 6, 6);
}

void JobRow::mouseReleaseEvent(QMouseEvent* event) {
  if (rect().contains(event->position().toPoint())) Q_EMIT chosen();
}

void JobRow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
    return Q_EMIT chosen();
  QWidget::keyPressEvent(event);
}

}  // namespace disklathe::ui
