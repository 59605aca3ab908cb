// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/paint.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QWidget>
#include <cmath>

namespace disklathe::ui {
namespace {

void paint_cross(QPainter& p, QRectF at) {
  const Theme& t = theme();
  p.fillRect(at, mix(t.base, t.bad, 0.25));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.bad, 2));
  p.drawLine(at.topLeft(), at.bottomRight());
  p.drawLine(at.bottomLeft(), at.topRight());
}

}  // namespace

void paint_hatch(QPainter& p, QRectF at, const QColor& color, double pitch, bool crossed, double width) {
  p.save();
  p.setClipRect(at, Qt::IntersectClip);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(color, width));
  // On the picture's own coordinates, so that neighbours join into one texture.
  for (double s = std::floor((at.left() + at.top()) / pitch) * pitch; s < at.right() + at.bottom(); s += pitch)
    p.drawLine(QPointF(s - at.top() + 2, at.top() - 2), QPointF(s - at.bottom() - 2, at.bottom() + 2));
  if (crossed) {
    for (double s = std::floor((at.left() - at.bottom()) / pitch) * pitch; s < at.right() - at.top(); s += pitch)
      p.drawLine(QPointF(s + at.top() - 2, at.top() - 2), QPointF(s + at.bottom() + 2, at.bottom() + 2));
  }
  p.restore();
}

void paint_kind(QPainter& p, QRectF at, ContentKind kind, double strength) {
  const Theme& t = theme();
  const auto tone = [&](const QColor& color) { return mix(t.base, color, strength); };
  p.setRenderHint(QPainter::Antialiasing, false);
  switch (kind) {
    case ContentKind::data: p.fillRect(at, tone(t.data)); break;
    case ContentKind::zero:
      p.setPen(QPen(mix(t.base, t.faint, 0.35 + 0.65 * strength), 1));
      p.setBrush(Qt::NoBrush);
      p.drawRect(at.adjusted(0, 0, -1, -1));
      break;
    case ContentKind::hole:
      p.fillRect(QRectF(std::floor(at.center().x()), std::floor(at.center().y()), 2, 2),
                 mix(t.base, t.faint, 0.45 + 0.55 * strength));
      break;
    case ContentKind::compressed:
      p.fillRect(at, tone(mix(t.base, t.compressed, 0.34)));
      paint_hatch(p, at, tone(t.compressed_ink), 4, false, 1.7);
      break;
    case ContentKind::backing:
      p.fillRect(at, tone(mix(t.base, t.backing, 0.30)));
      paint_hatch(p, at, tone(t.backing), 5, true, 1.1);
      break;
    case ContentKind::encrypted:
      p.fillRect(at, tone(mix(t.base, t.text, 0.16)));
      for (double y = std::floor(at.top()) + 1; y < at.bottom(); y += 3)
        p.fillRect(QRectF(at.left(), y, at.width(), 1), tone(t.text));
      break;
    case ContentKind::unreadable: paint_cross(p, at); break;
    case ContentKind::partition:
      p.fillRect(at, tone(mix(t.base, t.data, t.dark ? 0.34 : 0.22)));
      p.fillRect(QRectF(at.left(), at.top(), at.width(), 1), tone(t.data));
      break;
  }
}

void paint_under_bar(QPainter& p, QPointF at, double width, bool verified, bool soft) {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing, false);
  const QColor color = soft ? mix(t.good, t.base, 0.55) : t.good;
  p.fillRect(QRectF(at.x(), at.y(), width, verified ? 1 : 2), color);
  if (verified) p.fillRect(QRectF(at.x(), at.y() + 2, width, 1), color);
}

void paint_text(QPainter& p, QRectF at, int flags, const QString& text, Face face, const QColor& ink) {
  p.setFont(font_of(face));
  p.setPen(ink);
  p.setRenderHint(QPainter::Antialiasing);
  p.drawText(at, flags | Qt::TextDontClip | Qt::TextSingleLine, text);
}

QRectF paint_plate(QPainter& p, QPointF at, const QString& text, Face face, const QColor& ink) {
  const QRectF plate(at, QSizeF(width_of(text, face) + 8, height_of(face) + 2));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(theme().base);
  p.drawRoundedRect(plate, 3, 3);
  paint_text(p, plate, Qt::AlignCenter, text, face, ink);
  return plate;
}

void paint_flag(QPainter& p, QRectF at, const QString& text) {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(t.text);
  p.drawRoundedRect(at, 4, 4);
  paint_text(p, at, Qt::AlignCenter, text, Face::section, t.base);
}

double width_of(const QString& text, Face face) { return QFontMetricsF(font_of(face)).horizontalAdvance(text); }
double height_of(Face face) { return QFontMetricsF(font_of(face)).height(); }

QRectF mirrored(const QWidget& widget, QRectF at) {
  if (widget.layoutDirection() == Qt::LeftToRight) return at;
  return {widget.width() - at.right(), at.top(), at.width(), at.height()};
}

}  // namespace disklathe::ui
