// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/drop_strip.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPainter>

#include "ui/pictures/paint.h"

namespace disklathe::ui {

DropStrip::DropStrip(QWidget* parent) : QAbstractButton(parent) {
  setText(tr("Drop images here"));
  setAccessibleDescription(tr("Or press it to choose files."));
  setAcceptDrops(true);
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
  setFixedHeight(40);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void DropStrip::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing);
  const bool marked = hot_ || hasFocus();
  QPen frame(marked ? t.accent_ink : t.faint, marked ? 2 : 1.2);
  if (!hasFocus()) frame.setDashPattern({4, 3});
  p.setPen(frame);
  p.setBrush(hot_ ? mix(t.window, t.accent, 0.12) : underMouse() ? mix(t.window, t.text, 0.04) : t.window);
  p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  paint_text(p, rect(), Qt::AlignCenter, text(), Face::body, t.window_muted);
}

void DropStrip::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  hot_ = true;
  update();
  event->acceptProposedAction();
}

void DropStrip::dragLeaveEvent(QDragLeaveEvent*) {
  hot_ = false;
  update();
}

void DropStrip::dropEvent(QDropEvent* event) {
  hot_ = false;
  update();
  event->acceptProposedAction();
  Q_EMIT dropped(event->mimeData()->urls());
}

}  // namespace disklathe::ui
