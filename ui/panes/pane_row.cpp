// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/pane_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>

#include "ui/controls/text_label.h"

namespace disklathe::ui {

PaneRow::PaneRow(QWidget* parent) : QWidget(parent) {
  setFixedHeight(44);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  row_ = new QHBoxLayout(this);
  row_->setContentsMargins(16, 0, 8, 0);
  row_->setSpacing(16);
}

TextLabel* PaneRow::add_words(const QString& title) {
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  auto* name = new TextLabel(title);
  name->set_elided();
  auto* state = new TextLabel({}, Face::caption, Ink::window_muted);
  state->set_elided();
  words->addStretch(1);
  words->addWidget(name);
  words->addWidget(state);
  words->addStretch(1);
  row_->addLayout(words, 4);
  return state;
}

void PaneRow::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const QRectF box = QRectF(rect()).adjusted(8.5, 1.5, -4.5, -1.5);
  if (underMouse()) {
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.window, t.text, 0.06));
    p.drawRoundedRect(box, 6, 6);
  }
  if (!hasFocus()) return;
  p.setPen(QPen(t.accent_ink, 2));
  p.setBrush(Qt::NoBrush);
  p.drawRoundedRect(box, 6, 6);
}

void PaneRow::mouseReleaseEvent(QMouseEvent* event) {
  if (rect().contains(event->position().toPoint())) Q_EMIT chosen();
}

void PaneRow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
    return Q_EMIT chosen();
  QWidget::keyPressEvent(event);
}

}  // namespace disklathe::ui
