// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/pill.h"

#include <QPainter>

#include "ui/pictures/paint.h"

namespace disklathe::ui {

Pill::Pill(const QString& text, QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  set_text(text);
}

void Pill::set_text(const QString& text) {
  text_ = text;
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  updateGeometry();
  update();
}

QSize Pill::sizeHint() const {
  return {static_cast<int>(width_of(text_, Face::caption)) + 16, static_cast<int>(height_of(Face::caption)) + 6};
}

void Pill::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  p.setPen(Qt::NoPen);
  p.setBrush(mix(t.base, t.accent, t.dark ? 0.22 : 0.12));
  p.drawRoundedRect(rect(), 4, 4);
  paint_text(p, rect(), Qt::AlignCenter, text_, Face::caption, t.text);
}

}  // namespace disklathe::ui
