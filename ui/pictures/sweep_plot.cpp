// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/sweep_plot.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/pictures/axis.h"
#include "ui/pictures/paint.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double left = 60, panel_gap = 44;
constexpr double least_margin = 118, most_margin = 200;  // for the names of the curves
constexpr double least_milliseconds = 0.01, most_milliseconds = 1000;

double milliseconds(std::chrono::nanoseconds time) {
  return std::max(least_milliseconds, static_cast<double>(time.count()) / 1e6);
}

}  // namespace

SweepPlot::SweepPlot(QWidget* parent) : Picture(tr("Rate by the size of requests"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void SweepPlot::set_run(const SweepRun& run) {
  run_ = run;
  set_current_mark(-1);
  update();
}
void SweepPlot::set_saved(const QVector<SweepRun>& runs) {
  saved_ = runs;
  update();
}
void SweepPlot::set_limits(const Limits& limits) {
  limits_ = limits;
  update();
}

QString SweepPlot::what_is_drawn() const {
  return run_.points.back().most_rate > 0 ? tr("median, min–max") : tr("median");
}

double SweepPlot::right_margin() const {
  double widest = least_margin;
  if (!run_.points.empty())
    widest = std::max({widest, width_of(run_.name, Face::section) + 14, width_of(what_is_drawn(), Face::caption) + 14});
  for (const SweepRun& run : saved_) widest = std::max(widest, width_of(run.name, Face::caption) + 14);
  return std::min(widest, most_margin);
}

SweepPlot::Panels SweepPlot::panels() const {
  const double caption = height_of(Face::caption), foot = 2 * caption + 14, top = caption + 10;
  const double latency = std::clamp((height() - top - panel_gap - foot) * 0.27, 60.0, 120.0);
  const double right = width() - right_margin();
  return {QRectF(QPointF(left, top), QPointF(right, height() - foot - latency - panel_gap)),
          QRectF(QPointF(left, height() - foot - latency), QPointF(right, height() - foot))};
}

double SweepPlot::x_of(double size) const {
  const QRectF panel = panels().rate;
  const double first = std::log2(static_cast<double>(run_.points.front().size)),
               last = std::log2(static_cast<double>(run_.points.back().size));
  return std::round(panel.left() + 12 + (std::log2(size) - first) / std::max(1.0, last - first) * (panel.width() - 24));
}

double SweepPlot::top_rate() const {
  double most = 1e6;
  for (const SweepPoint& point : run_.points) most = std::max({most, point.rate, point.most_rate});
  for (const SweepRun& run : saved_)
    for (const SweepPoint& point : run.points) most = std::max(most, point.rate);
  return round_up(most / 1e6 * 1.02) * 1e6;
}

double SweepPlot::y_of_rate(double rate) const {
  const QRectF panel = panels().rate;
  return panel.bottom() - rate / top_rate() * panel.height();
}

double SweepPlot::y_of_latency(double value) const {
  const QRectF panel = panels().latency;
  const double low = std::log10(least_milliseconds), high = std::log10(most_milliseconds);
  return panel.bottom() -
         (std::log10(std::clamp(value, least_milliseconds, most_milliseconds)) - low) / (high - low) * panel.height();
}

QRectF SweepPlot::place_of(int mark) const {
  const SweepPoint& point = run_.points[static_cast<size_t>(mark)];
  return {x_of(static_cast<double>(point.size)) - 8, y_of_rate(point.rate) - 8, 16, 16};
}

int SweepPlot::mark_at(QPoint at) const {
  int nearest = -1;
  double best = 20;
  for (int i = 0; i < mark_count(); ++i) {
    const double distance = std::abs(at.x() - x_of(static_cast<double>(run_.points[static_cast<size_t>(i)].size)));
    if (distance < best) {
      best = distance;
      nearest = i;
    }
  }
  return at.y() > panels().latency.bottom() ? -1 : nearest;
}

QString SweepPlot::reading_of(int mark) const {
  const SweepPoint& point = run_.points[static_cast<size_t>(mark)];
  const QString rates = point.most_rate > 0 ? tr("%1 (%2–%3)", "rate, slowest, fastest round")
                                                  .arg(Sizes::rate(point.rate))
                                                  .arg(point.least_rate / 1e6, 0, 'f', 0)
                                                  .arg(point.most_rate / 1e6, 0, 'f', 0)
                                            : Sizes::rate(point.rate);
  return tr("%1: %2, p50 %3 ms, p99 %4 ms")
      .arg(Sizes::binary(point.size), rates)
      .arg(milliseconds(point.p50), 0, 'g', 3)
      .arg(milliseconds(point.p99), 0, 'g', 3);
}

PictureTable SweepPlot::table() const {
  PictureTable table{{tr("Size, bytes"), tr("MB/s"), tr("Slowest round, MB/s"), tr("Fastest round, MB/s"),
                      tr("p50, ms"), tr("p99, ms"), tr("Requests per second")},
                     {}};
  for (const SweepPoint& point : run_.points)
    table.rows << QStringList{QString::number(point.size),
                              QString::number(point.rate / 1e6, 'f', 1),
                              QString::number(point.least_rate / 1e6, 'f', 1),
                              QString::number(point.most_rate / 1e6, 'f', 1),
                              QString::number(milliseconds(point.p50), 'f', 3),
                              QString::number(milliseconds(point.p99), 'f', 3),
                              QString::number(point.requests_per_second(), 'f', 0)};
  return table;
}

void SweepPlot::paint_axes(QPainter& p) const {
  const Theme& t = theme();
  const auto [rate, latency] = panels();
  const double caption = height_of(Face::caption);
  paint_text(p, {0, 0, 200, caption}, Qt::AlignLeft, tr("MB/s"), Face::caption, t.muted);
  for (const double level : steps_to(top_rate(), 4))
    paint_level(p, rate, y_of_rate(level), Sizes::number(static_cast<uint64_t>(level / 1e6)));
  paint_text(p, {0, latency.top() - caption - 8, 300, caption}, Qt::AlignLeft, tr("Latency, ms"), Face::caption,
             t.muted);
  for (const double level : {0.01, 0.1, 1., 10., 100., 1000.})
    if (height_of(Face::caption) * 5 < latency.height() || level == 0.1 || level == 10)
      paint_level(p, latency, y_of_latency(level), QString::number(level));
  // Every size, or every second, or fourth: as there is room.
  size_t step = 1;
  const double room = latency.width() / static_cast<double>(std::max<size_t>(1, run_.points.size()));
  while (room * static_cast<double>(step) < width_of(Sizes::binary(512 << 10), Face::caption) + 8 && step < 8)
    step *= 2;
  for (size_t i = 0; i < run_.points.size(); ++i) {
    const double x = x_of(static_cast<double>(run_.points[i].size));
    const QString name = Sizes::binary(run_.points[i].size);
    const bool named = i % step == 0;
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(t.faint, 1));
    p.drawLine(QPointF(x, latency.bottom()), QPointF(x, latency.bottom() + (named ? 5 : 3)));
    if (!named) continue;
    paint_text(p, {x - 60, latency.bottom() + 6, 120, caption}, Qt::AlignHCenter, name, Face::caption, t.muted);
  }
  paint_text(p, {latency.left(), latency.bottom() + caption + 8, latency.width(), caption}, Qt::AlignHCenter,
             tr("Size of requests"), Face::caption, t.muted);
}

void SweepPlot::paint_limits(QPainter& p) const {
  const Theme& t = theme();
  const auto [rate, latency] = panels();
  double free_from = left + width_of(tr("MB/s"), Face::caption);
  const auto guide = [&](std::optional<uint64_t> size, const QString& name) {
    if (!size || *size < run_.points.front().size || *size > run_.points.back().size) return;
    const double x = x_of(static_cast<double>(*size));
    QPen pen(t.faint, 1);
    pen.setDashPattern({4, 4});
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(pen);
    p.drawLine(QPointF(x, rate.top() - 4), QPointF(x, rate.bottom()));
    p.drawLine(QPointF(x, latency.top()), QPointF(x, latency.bottom()));
    const double name_width = width_of(name, Face::caption),
                 at = std::max(free_from, std::min(x - 4, width() - name_width));
    paint_text(p, {at, 0, name_width, height_of(Face::caption)}, Qt::AlignLeft, name, Face::caption, t.muted);
    free_from = at + name_width + 10;
  };
  guide(limits_.physical_block, tr("physical"));
  guide(limits_.optimal_io.value, tr("optimal"));
  guide(limits_.max_transfer.value, tr("max transfer"));
}

QPainterPath SweepPlot::line(const std::vector<SweepPoint>& points,
                             const std::function<double(const SweepPoint&)>& y) const {
  QPainterPath path;
  for (const SweepPoint& point : points) {
    if (point.size < run_.points.front().size || point.size > run_.points.back().size) continue;
    const QPointF at(x_of(static_cast<double>(point.size)), y(point));
    path.elementCount() ? path.lineTo(at) : path.moveTo(at);
  }
  return path;
}

void SweepPlot::paint_label(QPainter& p, double y, const QString& name, const QString& under, Face face) const {
  const double right = panels().rate.right() + 6;
  const QFontMetricsF metrics(font_of(face));
  const double room = right_margin() - 8;
  const auto cut = [room](const QString& text, Face of) {
    return QFontMetricsF(font_of(of)).elidedText(text, Qt::ElideRight, room);
  };
  paint_text(p, {right, y - metrics.height() / 2, room, metrics.height()}, Qt::AlignVCenter, cut(name, face), face,
             theme().text);
  if (!under.isEmpty())
    paint_text(p, {right, y + metrics.height() / 2, room, height_of(Face::caption)}, Qt::AlignVCenter,
               cut(under, Face::caption), Face::caption, theme().muted);
}

// Between the slowest and the fastest round of each size; runs that were kept before rounds were do not know them.
void SweepPlot::paint_band(QPainter& p) const {
  QPolygonF band;
  for (const SweepPoint& point : run_.points) {
    if (point.most_rate <= 0) return;
    band << QPointF(x_of(static_cast<double>(point.size)), y_of_rate(point.most_rate));
  }
  for (size_t i = run_.points.size(); i-- > 0;)
    band << QPointF(x_of(static_cast<double>(run_.points[i].size)), y_of_rate(run_.points[i].least_rate));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(mix(theme().base, theme().data, theme().dark ? 0.30 : 0.20));
  p.drawPolygon(band);
}

void SweepPlot::paint_saved(QPainter& p) const {
  const QVector<qreal> dashes[] = {{5, 3}, {1.5, 2.5}, {8, 3, 1.5, 3}};
  const double own = y_of_rate(run_.points.back().rate);
  double taken_above = own - 26, taken_below = own + 34;
  for (qsizetype i = 0; i < saved_.size(); ++i) {
    const SweepRun& run = saved_[i];
    if (run.points.empty()) continue;
    QPen pen(theme().backing, 1.8);
    pen.setDashPattern(dashes[static_cast<size_t>(i) % std::size(dashes)]);
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(Qt::NoBrush);
    p.setPen(pen);
    p.drawPath(line(run.points, [&](const SweepPoint& point) { return y_of_rate(point.rate); }));
    // Names keep off each other and off this run's.
    const double y = y_of_rate(run.points.back().rate), apart = height_of(Face::caption) + 2;
    const bool above = y < own;
    const double at = above ? std::min(y, taken_above) : std::max(y, taken_below);
    (above ? taken_above : taken_below) = above ? at - apart : at + apart;
    paint_label(p, at, run.name, {}, Face::caption);
  }
}

void SweepPlot::paint_curves(QPainter& p) const {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.data, 2.2));
  p.setBrush(Qt::NoBrush);
  p.drawPath(line(run_.points, [&](const SweepPoint& point) { return y_of_rate(point.rate); }));
  for (const SweepPoint& point : run_.points) {
    p.setPen(QPen(t.base, 1.5));
    p.setBrush(t.data);
    p.drawEllipse(QPointF(x_of(static_cast<double>(point.size)), y_of_rate(point.rate)), 3.6, 3.6);
  }
  paint_label(p, y_of_rate(run_.points.back().rate), run_.name, what_is_drawn(), Face::section);
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(t.data, 2));
  p.drawPath(line(run_.points, [&](const SweepPoint& point) { return y_of_latency(milliseconds(point.p50)); }));
  QPen dots(t.bad, 2);
  dots.setDashPattern({1, 1.6});
  dots.setCapStyle(Qt::FlatCap);
  p.setPen(dots);
  p.drawPath(line(run_.points, [&](const SweepPoint& point) { return y_of_latency(milliseconds(point.p99)); }));
  const double p50 = y_of_latency(milliseconds(run_.points.back().p50)),
               p99 = y_of_latency(milliseconds(run_.points.back().p99));
  const double apart = height_of(Face::caption);
  paint_label(p, std::max(p50, p99 + apart), QStringLiteral("p50"), {}, Face::caption);
  paint_label(p, p99, QStringLiteral("p99"), {}, Face::caption);
}

void SweepPlot::paint_knee(QPainter& p) const {
  const auto knee = knee_of(run_.points);
  if (!knee) return;
  const Theme& t = theme();
  const SweepPoint& point = run_.points[*knee];
  const QPointF at(x_of(static_cast<double>(point.size)), y_of_rate(point.rate));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.text, 2));
  p.setBrush(Qt::NoBrush);
  p.drawEllipse(at, 8, 8);
  const QString words = tr("Knee %1").arg(Sizes::binary(point.size));
  const double flag_width = width_of(words, Face::section) + 16, flag_height = height_of(Face::section) + 4;
  const QRectF rate = panels().rate;
  const QRectF flag(std::clamp(at.x() - flag_width / 2, rate.left(), rate.right() - flag_width),
                    rate.bottom() - flag_height - 30, flag_width, flag_height);
  if (at.y() + 8 < flag.top()) {
    p.setPen(QPen(t.text, 1));
    p.drawLine(QPointF(at.x(), at.y() + 8), QPointF(at.x(), flag.top()));
  }
  paint_flag(p, flag, words);
}

void SweepPlot::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  if (run_.points.empty()) return;
  paint_band(p);
  paint_axes(p);
  paint_limits(p);
  paint_saved(p);
  paint_curves(p);
  paint_knee(p);
  paint_focus(p);
  paint_reading(p);
}

}  // namespace disklathe::ui
