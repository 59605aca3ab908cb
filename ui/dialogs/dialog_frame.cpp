// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/dialog_frame.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/controls/buttons.h"
#include "ui/controls/surfaces.h"

namespace disklathe::ui {

DialogFrame::DialogFrame(const QString& title, int width, QWidget* parent) : QDialog(parent) {
  setWindowTitle(title);
  setFixedWidth(width);
  set_surface(*this, true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  content_ = new QVBoxLayout;
  content_->setContentsMargins(24, 24, 24, 24);
  content_->setSpacing(16);
  column->addLayout(content_, 1);
  auto* bottom = new QWidget;
  set_surface(*bottom, false);
  auto* bottom_column = new QVBoxLayout(bottom);
  bottom_column->setContentsMargins(0, 0, 0, 0);
  bottom_column->setSpacing(0);
  bottom_column->addWidget(new Rule);
  foot_ = new QHBoxLayout;
  foot_->setContentsMargins(24, 12, 24, 12);
  foot_->setSpacing(8);
  foot_->addStretch(1);
  cancel_ = make_button(tr("Cancel"));
  cancel_->setDefault(true);
  cancel_->setMinimumSize(112, 36);
  connect(cancel_, &QPushButton::clicked, this, &QDialog::reject);
  foot_->addWidget(cancel_);
  bottom_column->addLayout(foot_);
  column->addWidget(bottom);
}

// As high as its words need at this width.
void DialogFrame::showEvent(QShowEvent* event) {
  if (minimumHeight() != maximumHeight()) resize(width(), layout()->totalHeightForWidth(width()));
  QDialog::showEvent(event);
}

void DialogFrame::add_button(QPushButton* button) {
  button->setMinimumSize(112, 36);
  foot_->insertWidget(foot_->indexOf(cancel_), button);
}

}  // namespace disklathe::ui
