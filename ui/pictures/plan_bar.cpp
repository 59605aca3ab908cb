// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/plan_bar.h"

#include <QPainter>
#include <cmath>

#include "ui/pictures/paint.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

PlanBar::PlanBar(QWidget* parent) : Picture(tr("Plan"), parent) {
  setFocusPolicy(Qt::NoFocus);
  setFixedHeight(20);
}

void PlanBar::set_parts(const QVector<Part>& parts) {
  parts_ = parts;
  QStringList said;
  for (const Part& part : parts) said << tr("%1 %2").arg(part.name, Sizes::decimal(part.bytes));
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  update();
}

PictureTable PlanBar::table() const {
  PictureTable table{{tr("What"), tr("Bytes")}, {}};
  for (const Part& part : parts_) table.rows << QStringList{part.name, Sizes::number(part.bytes)};
  return table;
}

void PlanBar::paint_mark(QPainter& p, QRectF at, Mark mark) {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing, false);
  if (mark == Mark::write) return p.fillRect(at, t.data);
  if (mark == Mark::zero) return paint_kind(p, at, ContentKind::zero);
  for (double x = at.left() + 3; x < at.right() - 2; x += 6)
    p.fillRect(QRectF(std::round(x), std::round(at.center().y()) - 1, 2, 2), t.faint);
}

void PlanBar::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  double all = 0, x = 0;
  for (const Part& part : parts_) all += static_cast<double>(part.bytes);
  const double room = width() - 2.0 * static_cast<double>(parts_.size() - 1);
  for (const Part& part : parts_) {
    const double length = std::round(room * static_cast<double>(part.bytes) / all);
    if (length >= 1) paint_mark(p, {x, 0, length, static_cast<double>(height())}, part.mark);
    x += length + 2;
  }
}

}  // namespace disklathe::ui
