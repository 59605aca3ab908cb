// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style.h"

#include <QApplication>
#include <QPainter>
#include <QStyleOption>

#include "ui/theme/theme.h"

namespace disklathe::ui {
namespace {

QColor edge_of(const QStyleOption& option) {
  const Theme& t = theme();
  if (!(option.state & QStyle::State_Enabled)) return t.line;
  return option.state & QStyle::State_HasFocus ? t.accent_ink : mix(t.text, t.base, 0.6);
}

void paint_box(QPainter& p, const QStyleOption& option) {
  const Theme& t = theme();
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(option.rect).adjusted(.5, .5, -.5, -.5);
  const bool on = option.state & (QStyle::State_On | QStyle::State_NoChange);
  p.setPen(QPen(on ? t.accent_ink : edge_of(option), 1));
  p.setBrush(on ? t.accent_soft : t.base);
  p.drawRoundedRect(box, 3, 3);
  p.setPen(
      QPen(option.state & QStyle::State_Enabled ? t.text : t.faint, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const double w = box.width(), h = box.height();
  if (option.state & QStyle::State_On)
    p.drawPolyline(QPolygonF({{box.left() + w * 0.22, box.top() + h * 0.52},
                              {box.left() + w * 0.42, box.top() + h * 0.72},
                              {box.left() + w * 0.78, box.top() + h * 0.28}}));
  else if (option.state & QStyle::State_NoChange)
    p.drawLine(QPointF(box.left() + w * 0.25, box.center().y()), QPointF(box.right() - w * 0.25, box.center().y()));
  p.restore();
}

}  // namespace

void Style::install() {
  if (QApplication::style()->name() == QLatin1String("fusion")) QApplication::setStyle(new Style);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  if (element == PE_IndicatorCheckBox) return paint_box(*painter, *option);
  if (element != PE_FrameLineEdit) return QProxyStyle::drawPrimitive(element, option, painter, widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(edge_of(*option), option->state & State_HasFocus ? 2 : 1));
  painter->setBrush(Qt::NoBrush);
  const double inset = option->state & State_HasFocus ? 1 : 0.5;
  painter->drawRoundedRect(QRectF(option->rect).adjusted(inset, inset, -inset, -inset), 4, 4);
  painter->restore();
}

}  // namespace disklathe::ui
