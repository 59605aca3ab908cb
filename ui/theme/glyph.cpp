// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/glyph.h"

#include <QPainter>

#include "ui/theme/drawn_icon.h"
#include "ui/theme/theme.h"

namespace disklathe::ui {
namespace {

void paint_result(QPainter& p, bool good, const QColor& ink) {
  p.setPen(Qt::NoPen);
  p.setBrush(ink);
  p.drawEllipse(QPointF(11, 11), 10, 10);
  p.setPen(QPen(theme().base, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  p.setBrush(Qt::NoBrush);
  if (good) {
    p.drawPolyline(QPolygonF({{6.5, 11.5}, {9.8, 14.8}, {15.8, 7.8}}));
  } else {
    p.drawLine(QPointF(7.5, 7.5), QPointF(14.5, 14.5));
    p.drawLine(QPointF(14.5, 7.5), QPointF(7.5, 14.5));
  }
}

void paint_network(QPainter& p, const QColor& ink) {
  for (const double top : {2.5, 9.5}) {
    p.drawRoundedRect(QRectF(4.5, top, 13, 5), 1, 1);
    p.fillRect(QRectF(6.5, top + 2, 1.5, 1.2), ink);
  }
  p.drawLine(QPointF(11, 14.5), QPointF(11, 19.5));
  p.drawLine(QPointF(6, 19.5), QPointF(16, 19.5));
}

}  // namespace

void paint_glyph(QPainter& p, QRectF at, Glyph glyph, const QColor& ink) {
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  const double scale = at.width() / 22;
  p.translate(at.topLeft());
  p.scale(scale, scale);
  p.setPen(QPen(ink, scale > 2 ? 0.9 : scale > 1.2 ? 1.1 : 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  p.setBrush(Qt::NoBrush);
  switch (glyph) {
    case Glyph::disk:
      p.drawRoundedRect(QRectF(4.5, 2.5, 13, 17), 2, 2);
      p.drawEllipse(QPointF(11, 9), 4, 4);
      p.drawLine(QPointF(11, 9), QPointF(8, 15.5));
      p.fillRect(QRectF(13, 16, 2, 1.5), ink);
      break;
    case Glyph::nvme:
      p.drawRoundedRect(QRectF(1.5, 6.5, 19, 9), 1.5, 1.5);
      p.fillRect(QRectF(4, 9, 4, 4), ink);
      p.fillRect(QRectF(10, 9, 4, 4), ink);
      p.drawLine(QPointF(17, 9), QPointF(17, 13));
      break;
    case Glyph::usb:
      p.drawRoundedRect(QRectF(5.5, 8.5, 11, 11), 2, 2);
      p.drawRect(QRectF(7.5, 2.5, 7, 6));
      p.fillRect(QRectF(9.4, 4.6, 1.2, 2), ink);
      p.fillRect(QRectF(11.6, 4.6, 1.2, 2), ink);
      break;
    case Glyph::card:
      p.drawPolygon(QPolygonF({{5.5, 2.5}, {13.5, 2.5}, {17.5, 6.5}, {17.5, 19.5}, {4.5, 19.5}, {4.5, 3.5}}));
      for (const double x : {7.5, 10., 12.5}) p.drawLine(QPointF(x, 5.5), QPointF(x, 8.5));
      break;
    case Glyph::image:
      p.drawPolyline(QPolygonF(
          {{12.5, 2.5}, {4.5, 2.5}, {4.5, 19.5}, {17.5, 19.5}, {17.5, 7.5}, {12.5, 2.5}, {12.5, 7.5}, {17.5, 7.5}}));
      p.drawEllipse(QPointF(11, 13.5), 3.2, 3.2);
      p.fillRect(QRectF(10.4, 12.9, 1.2, 1.2), ink);
      break;
    case Glyph::network: paint_network(p, ink); break;
    case Glyph::layers:
      p.drawPolygon(QPolygonF({{11, 3.5}, {19, 7.5}, {11, 11.5}, {3, 7.5}}));
      p.drawPolyline(QPolygonF({{3, 11.5}, {11, 15.5}, {19, 11.5}}));
      p.drawPolyline(QPolygonF({{3, 15.5}, {11, 19.5}, {19, 15.5}}));
      break;
    case Glyph::good: paint_result(p, true, ink); break;
    case Glyph::bad: paint_result(p, false, ink); break;
  }
  p.restore();
}

QIcon icon_of(Glyph glyph) {
  return drawn_icon([glyph](QPainter& p, const QRect& at, const QColor& ink) { paint_glyph(p, at, glyph, ink); });
}

GlyphView::GlyphView(Glyph glyph, int size, QWidget* parent) : QWidget(parent), glyph_(glyph) {
  setFixedSize(size, size);
}

void GlyphView::set_glyph(Glyph glyph) {
  glyph_ = glyph;
  update();
}

void GlyphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  paint_glyph(painter, rect(), glyph_, glyph_ == Glyph::good ? t.good : glyph_ == Glyph::bad ? t.bad : t.text);
}

}  // namespace disklathe::ui
