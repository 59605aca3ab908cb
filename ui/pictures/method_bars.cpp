// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/method_bars.h"

#include <QPainter>
#include <algorithm>

#include "ui/pictures/paint.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double name_width = 200, bar_height = 14, time_width = 140;

double row_height() { return height_of(Face::body) + height_of(Face::caption) + 20; }

}  // namespace

MethodBars::MethodBars(QWidget* parent) : Picture(tr("Ways to zero"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MethodBars::set_methods(const QVector<Method>& methods) {
  methods_ = methods;
  updateGeometry();
  update();
}

QSize MethodBars::sizeHint() const {
  return {800, static_cast<int>(static_cast<double>(methods_.size()) * row_height())};
}
QRectF MethodBars::place_of(int mark) const {
  return {0, mark * row_height(), static_cast<double>(width()), row_height()};
}
int MethodBars::mark_at(QPoint point) const {
  const int row = static_cast<int>(point.y() / row_height());
  return row < methods_.size() ? row : -1;
}

QString MethodBars::time_of(const Method& method) const {
  if (!method.offered) return tr("not offered");
  if (!method.seconds) return tr("not measured");
  return method.extrapolated ? tr("about %1").arg(Sizes::duration(*method.seconds)) : Sizes::duration(*method.seconds);
}

QString MethodBars::reading_of(int mark) const {
  return tr("%1: %2. %3").arg(methods_[mark].name, time_of(methods_[mark]), methods_[mark].promise);
}

PictureTable MethodBars::table() const {
  PictureTable table{{tr("Method"), tr("Time for the whole device"), tr("What it promises")}, {}};
  for (const Method& method : methods_) table.rows << QStringList{method.name, time_of(method), method.promise};
  return table;
}

void MethodBars::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(layoutDirection());
  const Theme& t = theme();
  double longest = 1;
  for (const Method& method : methods_) longest = std::max(longest, method.seconds.value_or(0));
  const double room = width() - name_width - time_width - 24;
  for (int i = 0; i < methods_.size(); ++i) {
    const Method& method = methods_[i];
    const double top = i * row_height() + 6, body = height_of(Face::body);
    const QColor ink = method.offered ? t.text : mix(t.text, t.base, 0.45);
    paint_text(p, mirrored(*this, {4, top, name_width, body}), Qt::AlignVCenter | Qt::AlignLeading, method.name,
               Face::section, ink);
    const QString promise =
        QFontMetricsF(font_of(Face::caption)).elidedText(method.promise, Qt::ElideRight, width() - 12);
    paint_text(p, mirrored(*this, {4, top + body + 2, width() - 8.0, height_of(Face::caption)}),
               Qt::AlignVCenter | Qt::AlignLeading, promise, Face::caption, t.muted);
    const double length = method.seconds ? std::max(3.0, *method.seconds / longest * room) : room * 0.5;
    const QRectF bar =
        mirrored(*this, {name_width + 12, std::round(top + (body - bar_height) / 2), std::round(length), bar_height});
    p.setRenderHint(QPainter::Antialiasing, false);
    if (method.offered && method.seconds && !method.extrapolated) p.fillRect(bar, t.data);
    if (method.offered && method.seconds && method.extrapolated) {
      p.fillRect(bar, mix(t.base, t.data, 0.3));
      paint_hatch(p, bar, t.data, 5, false, 1.4);
    }
    if (method.offered && !method.seconds) {
      QPen dashes(t.faint, 1);
      dashes.setDashPattern({4, 3});
      p.setPen(dashes);
      p.setBrush(Qt::NoBrush);
      p.drawRect(bar.adjusted(0, 0, -1, -1));
    }
    const double words_at = name_width + 12 + (method.offered ? length + 8 : 0);
    paint_text(p, mirrored(*this, {words_at, top, time_width, body}), Qt::AlignVCenter | Qt::AlignLeading,
               time_of(method), Face::body, method.offered && method.seconds ? t.text : t.muted);
    p.setPen(t.line);
    p.drawLine(QPointF(0, (i + 1) * row_height() - 1), QPointF(width(), (i + 1) * row_height() - 1));
  }
  paint_focus(p);
}

}  // namespace disklathe::ui
