// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/figure.h"

#include <QVBoxLayout>

#include "ui/controls/text_label.h"

namespace disklathe::ui {

Figure::Figure(const QString& value, const QString& caption, QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  setMinimumWidth(96);  // a number that grows moves nothing
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  value_ = new TextLabel({}, Face::figure);
  caption_ = new TextLabel({}, Face::caption, Ink::muted);
  column->addWidget(value_);
  column->addWidget(caption_);
  set(value, caption);
}

void Figure::set(const QString& value, const QString& caption) {
  value_->set_text(value);
  caption_->set_text(caption);
}

}  // namespace disklathe::ui
