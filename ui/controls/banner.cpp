// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {
namespace {

QLatin1String sign_of(Card::Tone tone) {
  switch (tone) {
    case Card::Tone::warn: return QLatin1String("data-warning");
    case Card::Tone::bad: return QLatin1String("data-error");
    case Card::Tone::good: return QLatin1String("checkmark");
    case Card::Tone::quiet: break;
  }
  return QLatin1String("data-information");
}

}  // namespace

Banner::Banner(QWidget* parent) : Card(Tone::quiet, parent) {
  setFixedHeight(40);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(isRightToLeft() ? QMargins(4, 4, 12, 4) : QMargins(12, 4, 4, 4));
  row->setSpacing(8);
  sign_ = new QLabel;
  sentence_ = new TextLabel({});
  sentence_->set_elided();
  button_ = make_button({});
  row->addWidget(sign_);
  row->addWidget(sentence_, 1);
  row->addWidget(button_);
  connect(button_, &QPushButton::clicked, this, &Banner::resolved);
  hide();
}

void Banner::show_message(Tone tone, const QString& sentence, const QString& button) {
  set_tone(tone);
  sign_->setPixmap(action_icon(sign_of(tone)).pixmap(QSize(16, 16), devicePixelRatioF()));
  sentence_->set_text(sentence);
  button_->setText(button);
  button_->setVisible(!button.isEmpty());
  show();
}

QString Banner::sentence() const { return sentence_->whole_text(); }

}  // namespace disklathe::ui
