// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/axis.h"

#include <cmath>

#include "ui/pictures/paint.h"

namespace disklathe::ui {

double round_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {1., 2., 4., 5., 6., 8.})
    if (value <= digit * power * 1.0000001) return digit * power;
  return 10 * power;
}

QVector<double> steps_to(double end, int count) {
  QVector<double> steps;
  for (int i = 0; i <= count; ++i) steps << end * i / count;
  return steps;
}

void paint_level(QPainter& p, const QRectF& plot, double y, const QString& number) {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setPen(QPen(t.line, 1));
  p.drawLine(QPointF(plot.left(), std::round(y)), QPointF(plot.right(), std::round(y)));
  paint_text(p, {0, y - 9, plot.left() - 12, 18}, Qt::AlignRight | Qt::AlignVCenter, number, Face::caption, t.muted);
}

}  // namespace disklathe::ui
