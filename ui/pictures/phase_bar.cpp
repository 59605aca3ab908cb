// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/phase_bar.h"

#include <QPainter>
#include <QPainterPath>

#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double bar_height = 8;

}  // namespace

PhaseBar::PhaseBar(bool compact, QWidget* parent) : Picture(tr("Phases"), parent), compact_(compact) {
  setFocusPolicy(compact ? Qt::NoFocus : Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize PhaseBar::sizeHint() const {
  if (compact_) return {240, static_cast<int>(bar_height)};
  return {800, static_cast<int>(height_of(Face::body) + height_of(Face::caption) + bar_height + 12)};
}

void PhaseBar::set_phases(const QVector<Phase>& phases) {
  phases_ = phases;
  QStringList said;
  for (const Phase& phase : phases)
    if (phase.done > 0) said << tr("%1 %2").arg(phase.name, Sizes::percent(phase.done));
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  update();
}

PictureTable PhaseBar::table() const {
  PictureTable table{{tr("Phase"), tr("Done"), tr("State")}, {}};
  for (const Phase& phase : phases_) table.rows << QStringList{phase.name, Sizes::percent(phase.done), phase.note};
  return table;
}

void PhaseBar::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(layoutDirection());
  const Theme& t = theme();
  double sum = 0;
  for (const Phase& phase : phases_) sum += phase.weight;
  const double gap = compact_ ? 2 : 8, least = compact_ ? 8 : 104;
  const double room = width() - gap * static_cast<double>(phases_.size() - 1);
  double fixed = 0, stretch = 0;
  for (const Phase& phase : phases_) {
    if (phase.weight / sum * room < least)
      fixed += least;
    else
      stretch += phase.weight;
  }
  const double name_height = height_of(Face::body), top = compact_ ? 0 : name_height + 4;
  double x = 0;
  for (const Phase& phase : phases_) {
    const double length =
        std::round(phase.weight / sum * room < least ? least : (room - fixed) * phase.weight / stretch);
    const bool active = phase.done > 0 && phase.done < 1;
    if (!compact_) {
      double words_at = x;
      if (phase.done >= 1 || phase.failed) {
        action_icon(QLatin1String(phase.failed ? "data-error" : "checkmark"))
            .paint(&p, mirrored(*this, {x, (name_height - 16) / 2, 16, 16}).toRect());
        words_at += 20;
      }
      const auto elided = [&](const QString& text, Face face, double from) {
        return QFontMetricsF(font_of(face)).elidedText(text, Qt::ElideRight, x + length + gap - from);
      };
      const Face face = active || phase.failed ? Face::section : Face::body;
      paint_text(p, mirrored(*this, {words_at, 0, x + length - words_at, name_height}),
                 Qt::AlignVCenter | Qt::AlignLeading, elided(phase.name, face, words_at), face,
                 phase.failed ? t.bad_text
                 : active     ? t.text
                              : t.muted);
      paint_text(p, mirrored(*this, {x, top + bar_height + 4, length, height_of(Face::caption)}),
                 Qt::AlignVCenter | Qt::AlignLeading, elided(phase.note, Face::caption, x), Face::caption,
                 active || phase.failed ? t.text : t.muted);
    }
    const QRectF whole(x, top, length, bar_height), bar = mirrored(*this, whole);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.text, t.base, 0.88));
    p.drawRoundedRect(bar, 3, 3);
    if (phase.done > 0) {
      QPainterPath shape;
      shape.addRoundedRect(bar, 3, 3);
      p.save();
      p.setClipPath(shape);
      QRectF filled = whole;
      filled.setWidth(std::round(length * std::min(1.0, phase.done)));
      filled = mirrored(*this, filled);
      p.fillRect(filled, phase.failed ? t.bad : t.good);
      if (phase.reads_back) {
        p.setRenderHint(QPainter::Antialiasing, false);
        p.fillRect(QRectF(filled.left(), filled.top() + 3, filled.width(), 2), compact_ ? t.window : t.base);
      }
      p.restore();
    }
    x += length + gap;
  }
  if (!compact_) paint_focus(p);
}

}  // namespace disklathe::ui
