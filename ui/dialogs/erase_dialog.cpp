// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/erase_dialog.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

#include "ui/controls/banner.h"
#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/devices/device_model.h"
#include "ui/jobs/speeds.h"
#include "ui/pictures/before_after.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr qsizetype tail_length = 4;

QWidget* thing(Glyph glyph, const QString& name, const QString& detail) {
  auto* widget = new QWidget;
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  row->addWidget(new GlyphView(glyph, 32));
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  auto* title = new TextLabel(name, Face::section);
  title->set_elided();
  auto* caption = new TextLabel(detail, Face::caption, Ink::muted);
  caption->setWordWrap(true);  // the serial number stands at its end
  words->addWidget(title);
  words->addWidget(caption);
  row->addLayout(words, 1);
  return widget;
}

QWidget* told(Card::Tone tone, QLatin1String sign, const QString& title, const QString& words) {
  auto* card = new Card(tone);
  auto* row = new QHBoxLayout(card);
  row->setContentsMargins(12, 12, 16, 12);
  row->setSpacing(8);
  auto* icon = new QLabel;
  icon->setPixmap(action_icon(sign).pixmap(QSize(16, 16), card->devicePixelRatioF()));
  row->addWidget(icon, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  column->addWidget(new TextLabel(title, Face::section));
  auto* body = new TextLabel(words);
  body->setWordWrap(true);
  column->addWidget(body);
  column->addStretch(1);
  row->addLayout(column, 1);
  return card;
}

QString lost_words(const Disk& disk, const Erasure& erasure) {
  if (DeviceWords::nothing_known(disk))
    return EraseDialog::tr(
        "No file system or partition table that is known. It may hold data all the same. There is no undo.");
  if (disk.content.source == ContentSource::unknown && disk.partitions.empty())
    return EraseDialog::tr("What is on it is not known: it may not be read without rights. There is no undo.");
  QStringList lost;
  for (const Partition& partition : disk.partitions)
    if (!erasure.size || partition.start < erasure.size)
      lost << EraseDialog::tr("%1 (%2, %3)")
                  .arg(QString::fromStdString(partition.name), DeviceWords::content(partition.content),
                       Sizes::decimal(partition.size));
  if (disk.partitions.empty()) lost << DeviceWords::content(disk.content);
  if (lost.size() > 4) lost = lost.first(3) << EraseDialog::tr("%n more", nullptr, static_cast<int>(lost.size() - 3));
  return EraseDialog::tr("%1, with all files on it. There is no undo.").arg(lost.join(QStringLiteral("; ")));
}

QString kept_words(const Disk& disk, const Erasure& erasure) {
  if (!erasure.size)
    return EraseDialog::tr("How much is written shows at the end. What lies beyond keeps its old bytes.");
  if (erasure.size >= disk.size) return EraseDialog::tr("Nothing: all of the device is written.");
  return EraseDialog::tr("Old bytes past %1. They can be recovered with tools: this is not secure erase.")
      .arg(Sizes::decimal(erasure.size));
}

}  // namespace

QString EraseDialog::to_be_typed(const Disk& disk) {
  if (!DeviceWords::needs_typing(disk)) return {};
  const QString serial = QString::fromStdString(disk.serial);
  return serial.size() >= tail_length ? serial.right(tail_length) : QString::fromStdString(disk.name);
}

EraseDialog::EraseDialog(const ChosenDevice& chosen, const Erasure& erasure, DeviceModel& devices, QWidget* parent)
    : DialogFrame(tr("Overwrite a Device"), 760, parent), disk_(chosen.disk), erasure_(erasure) {
  const QString name = DeviceWords::name(disk_), size = Sizes::decimal(disk_.size);
  auto* title = new TextLabel(tr("Overwrite %1 (%2)?").arg(name, size), Face::title);
  title->setWordWrap(true);
  content().addWidget(title);
  gone_ = new Banner;
  content().addWidget(gone_);
  content().addWidget(from_to(chosen, erasure));
  auto* picture = new BeforeAfter;
  picture->set(disk_, erasure.name, erasure.size ? erasure.size : disk_.size);
  content().addWidget(picture);
  content().addWidget(lost_and_kept(disk_, erasure));
  if (!erasure.warning.isEmpty())
    content().addWidget(
        told(Card::Tone::warn, QLatin1String("data-warning"), tr("It will not work there"), erasure.warning));
  if (erasure.offer_verify) {
    verify_ = new QCheckBox(tr("&Verify by reading everything back"));
    verify_->setChecked(QSettings().value(QStringLiteral("verify"), true).toBool());
    content().addWidget(verify_);
  }
  go_ = new DangerButton(tr("Overwrite %1").arg(size));
  if (const QString word = to_be_typed(disk_); !word.isEmpty()) {
    content().addLayout(question(word));
    connect(typed_, &QLineEdit::textChanged, this, &EraseDialog::check_typed);
  }
  time_ = new TextLabel({}, Face::body, Ink::window_muted);
  foot().insertWidget(0, time_);
  if (verify_) connect(verify_, &QCheckBox::toggled, this, &EraseDialog::show_time);
  show_time();
  connect(go_, &QPushButton::clicked, this, &QDialog::accept);
  add_button(go_);
  cancel_button().setFocus();
  connect(&devices, &DeviceModel::vanished, this, &EraseDialog::check_device);
  check_typed();
}

// The field stands where the question ends; under it, where the question is too long for that.
QLayout* EraseDialog::question(const QString& word) {
  constexpr int field_width = 200, gap = 16;
  const bool serial = QString::fromStdString(disk_.serial).endsWith(word);
  const QString words = serial ? tr("Type the last %n character(s) of its &serial number to go on:", nullptr,
                                    static_cast<int>(word.size()))
                               : tr("Type its kernel &name to go on:");
  auto* ask = new TextLabel(words);
  const QMargins margins = content().contentsMargins();
  const int room = width() - margins.left() - margins.right();
  const bool beside = ask->sizeHint().width() + gap + field_width <= room;
  ask->setWordWrap(!beside);
  typed_ = new QLineEdit;
  typed_->setMinimumHeight(32);
  typed_->setFixedWidth(field_width);
  typed_->setAccessibleName(QString(words).remove(QLatin1Char('&')));
  ask->setBuddy(typed_);
  auto* both = new QBoxLayout(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  both->setSpacing(beside ? gap : 8);
  both->addWidget(ask);
  both->addWidget(typed_);
  if (beside) both->addStretch(1);
  return both;
}

QWidget* EraseDialog::from_to(const ChosenDevice& chosen, const Erasure& erasure) {
  auto* widget = new QWidget;
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  row->addWidget(thing(Glyph::image, erasure.name, erasure.detail), 2);
  row->addWidget(new TextLabel(layoutDirection() == Qt::RightToLeft ? QStringLiteral("←") : QStringLiteral("→"),
                               Face::title, Ink::muted));
  row->addWidget(
      thing(DeviceWords::glyph(chosen.disk), DeviceWords::name(chosen.disk), DeviceWords::facts(chosen.disk)), 3);
  return widget;
}

QWidget* EraseDialog::lost_and_kept(const Disk& disk, const Erasure& erasure) {
  auto* widget = new QWidget;
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  row->addWidget(told(Card::Tone::bad, QLatin1String("data-warning"), tr("Lost"), lost_words(disk, erasure)), 1);
  row->addWidget(told(Card::Tone::quiet, QLatin1String("data-information"), tr("Survives"), kept_words(disk, erasure)),
                 1);
  return widget;
}

void EraseDialog::show_time() {
  if (!erasure_.data) return time_->hide();
  const uint64_t zeroes = erasure_.zeroes.value_or(0), all = *erasure_.data + zeroes;
  const TimeGuess guess = TimeGuess::for_device(disk_, *erasure_.data, zeroes, verify() ? all : 0);
  time_->set_text(Sizes::time_left(guess.least, guess.most));
  if (!verify_) return;
  const TimeGuess reading = TimeGuess::for_device(disk_, 0, 0, all);
  verify_->setText(
      tr("&Verify by reading everything back (%1 of it)").arg(Sizes::time_left(reading.least, reading.most)));
}

bool EraseDialog::verify() const { return verify_ && verify_->isChecked(); }

void EraseDialog::check_typed() {
  go_->setEnabled(!vanished_ &&
                  (!typed_ || typed_->text().trimmed().compare(to_be_typed(disk_), Qt::CaseInsensitive) == 0));
}

void EraseDialog::check_device(const DevicePtr& vanished) {
  if (!same_device(vanished->disk, disk_)) return;
  vanished_ = true;
  gone_->show_message(Card::Tone::bad, tr("%1 was unplugged. Nothing was written.").arg(DeviceWords::name(disk_)));
  if (typed_) typed_->setEnabled(false);
  check_typed();
}

}  // namespace disklathe::ui
