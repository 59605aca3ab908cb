// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/result_card.h"

#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/theme/glyph.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {

ResultCard::ResultCard(QWidget* parent) : Card(Tone::quiet, parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(20, 16, 16, 16);
  row->setSpacing(16);
  mark_ = new GlyphView(Glyph::good, 40);
  row->addWidget(mark_, 0, Qt::AlignTop);
  auto* words = new QVBoxLayout;
  words->setSpacing(4);
  sentence_ = new TextLabel({}, Face::title);
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  meaning_ = new TextLabel({}, Face::body);
  meaning_->setWordWrap(true);
  words->addWidget(sentence_);
  words->addWidget(meaning_);
  row_ = new QBoxLayout(QBoxLayout::LeftToRight);
  row_->setSpacing(12);
  row_->addLayout(words, 1);
  row->addLayout(row_, 1);
  buttons_ = new QWidget;
  row_->addWidget(buttons_, 0, Qt::AlignTop);
  auto* buttons = new QHBoxLayout(buttons_);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(8);
  report_ = make_button(tr("Save Report…"), QLatin1String("document-save"));
  eject_ = make_button(tr("Eject"), QLatin1String("media-eject"));
  compare_ = make_button(tr("Compare"), QLatin1String("exchange-positions"));
  again_ = make_button({}, QLatin1String("view-refresh"));
  for (QPushButton* button : {again_, compare_, eject_, report_}) buttons->addWidget(button);
  buttons->addStretch(1);
  connect(report_, &QPushButton::clicked, this, &ResultCard::save_report);
  connect(eject_, &QPushButton::clicked, this, &ResultCard::eject);
  connect(compare_, &QPushButton::clicked, this, &ResultCard::compare);
  connect(again_, &QPushButton::clicked, this, &ResultCard::again);
}

void ResultCard::show_result(const JobRequest& request, const JobResult& result) {
  const bool good = result.good();
  set_tone(good ? Tone::good : Tone::bad);
  mark_->set_glyph(good ? Glyph::good : Glyph::bad);
  sentence_->set_ink(good ? Ink::good : Ink::bad);
  sentence_->set_text(ResultWords::sentence(result));
  const QStringList meaning = QStringList(ResultWords::meaning(request, result)) + result.notes;
  meaning_->set_text(meaning.join(QLatin1Char('\n')).trimmed());
  meaning_->setVisible(!meaning_->whole_text().isEmpty());
  eject_->setVisible(good && request.device && request.device->whole() && !is_virtual(request.device->disk.bus));
  compare_->setVisible(result.state == JobResult::State::differs && request.kind() == job::Kind::convert &&
                       !request.read);
  const bool began_elsewhere = request.kind() != job::Kind::convert && request.kind() != job::Kind::zero;
  again_->setVisible(!good && !began_elsewhere);
  // Nothing is repeated blindly on what may have changed: the dialogs come again.
  const bool another =
      result.error && (result.error->kind == ErrorKind::vanished || result.error->kind == ErrorKind::no_space ||
                       result.error->kind == ErrorKind::refused);
  again_->setText(another ? tr("Choose Another…") : tr("Try Again…"));
  place_buttons();
}

void ResultCard::place_buttons() {
  constexpr int least_words = 360, around = 20 + 40 + 16 + 16 + 12;
  const bool beside = width() - around - buttons_->sizeHint().width() >= least_words;
  row_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ResultCard::resizeEvent(QResizeEvent* event) {
  Card::resizeEvent(event);
  place_buttons();
}

}  // namespace disklathe::ui
