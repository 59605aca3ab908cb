// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/text_label.h"

#include <QEvent>

namespace disklathe::ui {

TextLabel::TextLabel(const QString& text, Face face, Ink ink, QWidget* parent)
    : QLabel(text, parent), face_(face), ink_(ink), whole_(text) {
  setTextFormat(Qt::PlainText);
  setForegroundRole(QPalette::WindowText);  // also on paper, where it would be Text
  apply_ink();
  apply_direction();
}

void TextLabel::set_trailing() {
  trailing_ = true;
  apply_direction();
}

void TextLabel::apply_direction() {
  if (alignment() & Qt::AlignHCenter) return;
  setAlignment(Qt::AlignAbsolute | Qt::AlignVCenter | (isRightToLeft() != trailing_ ? Qt::AlignRight : Qt::AlignLeft));
}

void TextLabel::set_ink(Ink ink) {
  ink_ = ink;
  apply_ink();
}

void TextLabel::set_elided() {
  elided_ = true;
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  elide();
}

void TextLabel::set_text(const QString& text) {
  if (text == whole_) return;
  whole_ = text;
  if (elided_)
    elide();
  else
    setText(text);
}

QSize TextLabel::minimumSizeHint() const {
  const QSize size = QLabel::minimumSizeHint();
  return elided_ ? QSize(24, size.height()) : size;
}

void TextLabel::apply_ink() {
  applying_ = true;
  setFont(font_of(face_));
  QPalette colors;
  colors.setColor(QPalette::WindowText, color_of(ink_));
  setPalette(colors);
  applying_ = false;
}

void TextLabel::elide() {
  const QString shown = fontMetrics().elidedText(whole_, Qt::ElideRight, width());
  setText(shown);
  setToolTip(shown == whole_ ? QString() : whole_);
  setAccessibleName(whole_);
}

void TextLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !applying_) apply_ink();
  if (event->type() == QEvent::LayoutDirectionChange) apply_direction();
}

void TextLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  if (elided_) elide();
}

}  // namespace disklathe::ui
