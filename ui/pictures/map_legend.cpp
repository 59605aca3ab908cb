// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/map_legend.h"

#include <QPainter>

namespace disklathe::ui {
namespace {

constexpr double between = 20, swatch_width = 14, swatch_height = 10;

}  // namespace

MapLegend::MapLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MapLegend::set_items(const QVector<Item>& items) {
  if (items == items_) return;
  items_ = items;
  QStringList said;
  for (const Item& item : items)
    said << (item.amount.isEmpty() ? item.name : item.name + QLatin1Char(' ') + item.amount);
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  setFixedHeight(height_for(std::max(width(), 300)));
  update();
}

int MapLegend::height_for(int width) const { return static_cast<int>(place(width, nullptr)); }

double MapLegend::place(double width, QPainter* painter) const {
  const Theme& t = theme();
  const double line = std::max(20.0, height_of(Face::caption) + 4);
  double x = 0, y = 0;
  for (const Item& item : items_) {
    const double name = width_of(item.name, Face::caption),
                 amount = item.amount.isEmpty() ? 0 : width_of(item.amount, Face::caption) + 6;
    const double need = swatch_width + 6 + name + amount;
    if (x > 0 && x + need > width) {
      x = 0;
      y += line;
    }
    if (painter) {
      QPainter& p = *painter;
      const QRectF swatch = mirrored(*this, {x, y + (line - swatch_height) / 2, swatch_width, swatch_height});
      const double middle = std::floor(swatch.center().y());
      switch (item.mark) {
        case Mark::kind: paint_kind(p, swatch.toAlignedRect(), item.kind); break;
        case Mark::written: paint_under_bar(p, {swatch.left(), middle}, swatch_width, false, false); break;
        case Mark::verified: paint_under_bar(p, {swatch.left(), middle}, swatch_width, true, false); break;
        case Mark::touched: p.fillRect(QRectF(swatch.left(), middle, swatch_width, 2), t.text); break;
        case Mark::differs: paint_kind(p, swatch, ContentKind::unreadable); break;
        case Mark::now:
          p.setRenderHint(QPainter::Antialiasing);
          p.setPen(QPen(t.text, 2));
          p.setBrush(Qt::NoBrush);
          p.drawRoundedRect(swatch.adjusted(0, -1, 0, 1), 3, 3);
          break;
      }
      paint_text(p, mirrored(*this, {x + swatch_width + 6, y, name + 2, line}), Qt::AlignVCenter, item.name,
                 Face::caption, t.text);
      if (amount > 0)
        paint_text(p, mirrored(*this, {x + swatch_width + 12 + name, y, amount, line}), Qt::AlignVCenter, item.amount,
                   Face::caption, t.muted);
    }
    x += need + between;
  }
  return items_.isEmpty() ? 0 : y + line;
}

void MapLegend::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(layoutDirection());
  place(width(), &p);
}

void MapLegend::resizeEvent(QResizeEvent*) {
  if (const int needed = height_for(width()); needed != height()) setFixedHeight(needed);
}

}  // namespace disklathe::ui
