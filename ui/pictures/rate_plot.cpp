// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/rate_plot.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/pictures/allocation_map.h"
#include "ui/pictures/axis.h"
#include "ui/pictures/paint.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

RatePlot::RatePlot(QWidget* parent) : Picture(tr("Rate over the position"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMaximumHeight(160);
}

void RatePlot::set_rates(const RateSeries& writing, const RateSeries& verifying, uint64_t size, bool running) {
  writing_ = writing;
  verifying_ = verifying;
  size_ = size;
  running_ = running;
  update();
}

QRectF RatePlot::plot() const {
  const double caption = height_of(Face::caption);
  return {QPointF(AllocationMap::gutter(width()), caption + 8), QPointF(width() - 1, height() - caption - 6)};
}

double RatePlot::top() const {
  double most = 1e6;
  for (const RateSeries* series : {&writing_, &verifying_})
    for (const double rate : series->rates) most = std::max(most, rate);
  return round_up(most / 1e6) * 1e6;
}

int RatePlot::mark_count() const {
  const auto& rates = shown().rates;
  qsizetype count = rates.size();
  while (count > 0 && rates[count - 1] < 0) --count;
  return static_cast<int>(count);
}

int RatePlot::mark_at(QPoint point) const {
  const QRectF area = plot();
  if (!area.adjusted(0, -8, 0, 8).contains(point) || shown().rates.isEmpty()) return -1;
  const int mark =
      static_cast<int>((point.x() - area.left()) / area.width() * static_cast<double>(shown().rates.size()));
  return mark < mark_count() ? mark : -1;
}

QRectF RatePlot::place_of(int mark) const {
  const QRectF area = plot();
  const auto count = static_cast<double>(shown().rates.size());
  const double x = area.left() + (mark + 0.5) / count * area.width(),
               y = area.bottom() - std::max(0.0, shown().rates[mark]) / top() * area.height();
  return {x - 3, y - 3, 6, 6};
}

QString RatePlot::reading_of(int mark) const {
  const uint64_t at =
      static_cast<uint64_t>(static_cast<double>(size_) * mark / static_cast<double>(shown().rates.size()));
  return tr("%1 at %2").arg(Sizes::rate(std::max(0.0, shown().rates[mark])), Sizes::decimal(at));
}

PictureTable RatePlot::table() const {
  PictureTable table{{tr("Position"), tr("Written, MB/s"), tr("Read back, MB/s")}, {}};
  const qsizetype count = std::max(writing_.rates.size(), verifying_.rates.size());
  for (qsizetype i = 0; i < count; ++i) {
    const auto at =
        static_cast<uint64_t>(static_cast<double>(size_) * static_cast<double>(i) / static_cast<double>(count));
    const auto rate = [&](const RateSeries& series) {
      return i < series.rates.size() && series.rates[i] >= 0 ? QString::number(series.rates[i] / 1e6, 'f', 1)
                                                             : QString();
    };
    table.rows << QStringList{Sizes::number(at), rate(writing_), rate(verifying_)};
  }
  return table;
}

void RatePlot::paint_series(QPainter& p, const RateSeries& series, const QColor& color, bool filled) const {
  const QRectF area = plot();
  const auto count = static_cast<double>(series.rates.size());
  QPainterPath line;
  QPointF last;
  for (qsizetype i = 0; i < series.rates.size(); ++i) {
    if (series.rates[i] < 0) continue;
    const QPointF at(area.left() + (static_cast<double>(i) + 0.5) / count * area.width(),
                     area.bottom() - series.rates[i] / top() * area.height());
    line.elementCount() ? line.lineTo(at) : line.moveTo(at);
    last = at;
  }
  if (!line.elementCount()) return;
  p.setRenderHint(QPainter::Antialiasing);
  if (filled) {
    QPainterPath surface = line;
    surface.lineTo(last.x(), area.bottom());
    surface.lineTo(line.elementAt(0).x, area.bottom());
    surface.closeSubpath();
    QColor pale = color;
    pale.setAlpha(theme().dark ? 66 : 40);
    p.fillPath(surface, pale);
  }
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(color, 1.8));
  p.drawPath(line);
  if (!filled || !running_) return;
  p.setPen(QPen(theme().text, 2));
  p.setBrush(theme().base);
  p.drawEllipse(last, 4, 4);
}

void RatePlot::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  const QRectF area = plot();
  const double caption = height_of(Face::caption);
  paint_text(p, {0, 0, width() / 2.0, caption}, Qt::AlignLeft, tr("MB/s over the position"), Face::caption, t.muted);
  for (const double level : steps_to(top(), 2))
    paint_level(p, area, area.bottom() - level / top() * area.height(),
                Sizes::number(static_cast<uint64_t>(level / 1e6)));
  if (size_) {
    const double end = static_cast<double>(size_), step = round_up(end / 5);
    for (double at = 0; at <= end * 0.97; at += step) {
      const double x = area.left() + at / end * area.width();
      paint_text(p, {x - (at > 0 ? 60 : 2), area.bottom() + 4, 120, caption}, at > 0 ? Qt::AlignHCenter : Qt::AlignLeft,
                 at > 0 ? Sizes::decimal(static_cast<uint64_t>(at)) : QStringLiteral("0"), Face::caption, t.muted);
    }
  }
  const bool reading = !verifying_.rates.isEmpty();
  paint_series(p, writing_, reading ? t.faint : t.data, !reading);
  if (reading) {
    paint_series(p, verifying_, t.good, true);
    paint_text(p, {width() / 2.0, 0, width() / 2.0, caption}, Qt::AlignRight,
               tr("filled: reading back, thin: the write"), Face::caption, t.muted);
  }
  paint_focus(p);
  paint_reading(p);
}

}  // namespace disklathe::ui
