// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStorageInfo>

#include "core/device/limits.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/jobs/speeds.h"
#include "ui/pictures/plan_bar.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

class Swatch : public QWidget {
 public:
  explicit Swatch(PlanBar::Mark mark) : mark_(mark) { setFixedSize(14, 10); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter p(this);
    PlanBar::paint_mark(p, rect(), mark_);
  }

 private:
  PlanBar::Mark mark_;
};

// Bytes of a new file that are tables; nothing: the format cannot tell.
std::optional<uint64_t> overhead_of(const PlanPanel::Target& target, uint64_t size) {
  if (!target.format || !target.format->measure) return std::nullopt;
  const auto measured = target.format->measure({.size = size, .options = target.options});
  if (!measured) return std::nullopt;
  return measured->required;
}

}  // namespace

PlanPanel::PlanPanel(QWidget* parent) : Card(Tone::quiet, parent) {
  setFixedWidth(344);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 20, 20, 20);
  column->setSpacing(8);
  column->addWidget(new TextLabel(tr("Plan"), Face::section));
  auto* time = new QHBoxLayout;
  time->setSpacing(8);
  time_ = new TextLabel({}, Face::figure);
  time_of_ = new TextLabel({}, Face::caption, Ink::muted);
  time->addWidget(time_);
  time->addWidget(time_of_, 1, Qt::AlignBottom);
  column->addLayout(time);
  time_why_ = new TextLabel({}, Face::caption, Ink::muted);
  time_why_->setWordWrap(true);
  column->addWidget(time_why_);
  bar_ = new PlanBar;
  column->addWidget(bar_);
  write_ = add_part(*column, 0, tr("Write"));
  zero_ = add_part(*column, 1, tr("Zero"));
  skip_ = add_part(*column, 2, tr("Skip"));
  column->addSpacing(4);
  rule_ = new Rule;
  column->addWidget(rule_);
  column->addSpacing(4);
  request_ = add_fact(*column, tr("Request size"));
  zeroing_ = add_fact(*column, tr("Zeroing"));
  durable_ = add_fact(*column, tr("Durable"));
  warning_ = new TextLabel({}, Face::body, Ink::warn);
  warning_->setWordWrap(true);
  column->addWidget(warning_);
  column->addStretch(1);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  room_sign_ = new QLabel;
  room_ = new TextLabel({});
  room_->setWordWrap(true);
  row->addWidget(room_sign_, 0, Qt::AlignTop);
  row->addWidget(room_, 1);
  column->addLayout(row);
}

PlanPanel::Row PlanPanel::add_part(QVBoxLayout& column, int mark, const QString& name) {
  Row part{new QWidget, new TextLabel(name), new TextLabel({})};
  auto* row = new QHBoxLayout(part.widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(new Swatch(static_cast<PlanBar::Mark>(mark)));
  row->addWidget(part.name);
  row->addStretch(1);
  row->addWidget(part.amount);
  column.addWidget(part.widget);
  return part;
}

PlanPanel::Fact PlanPanel::add_fact(QVBoxLayout& column, const QString& name) {
  Fact fact{new QWidget, new TextLabel({}, Face::section), new TextLabel({}, Face::caption, Ink::muted)};
  auto* lines = new QVBoxLayout(fact.widget);
  lines->setContentsMargins(0, 0, 0, 4);
  lines->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->addWidget(new TextLabel(name, Face::body, Ink::muted));
  row->addStretch(1);
  row->addWidget(fact.value);
  lines->addLayout(row);
  fact.why->setWordWrap(true);
  lines->addWidget(fact.why);
  column.addWidget(fact.widget);
  return fact;
}

PlanPanel::Amounts PlanPanel::amounts_of(const OpenImage& image) {
  const uint64_t size = image.virtual_size();
  if (image.device()) return {.known = true, .at_most = true, .size = size, .write = size};
  const ContentCells& cells = image.cells();
  return {.known = image.map_complete() && size > 0,
          .size = size,
          .write =
              cells.total(ContentKind::data) + cells.total(ContentKind::compressed) + cells.total(ContentKind::backing),
          .zero = cells.total(ContentKind::zero),
          .skip = cells.total(ContentKind::hole)};
}

// A range, and where it comes from.
void PlanPanel::show_time(const OpenImage& image, const Target& target, const Amounts& of) {
  const bool told = of.known && (target.device || !target.path.isEmpty());
  for (TextLabel* label : {time_, time_of_, time_why_}) label->setVisible(told);
  if (!told) return;
  const uint64_t read_back = target.verify ? (target.device ? of.size : of.write) : 0;
  const TimeGuess guess =
      target.device    ? TimeGuess::for_device(target.device->disk, of.write, of.zero + of.skip, read_back)
      : image.device() ? TimeGuess::for_image_of(image.device()->disk, target.path, target.compress, target.verify)
                       : TimeGuess::for_file(target.path, of.write, target.compress, read_back);
  time_->set_text(Sizes::time_left(guess.least, guess.most));
  time_of_->set_text(target.verify ? tr("verify included") : tr("without verifying"));
  time_why_->set_text(guess.measured ? tr("By how fast it was before.")
                      : target.device || image.device()
                          ? tr("By what devices of its kind do: none was measured here yet.")
                          : tr("A guess: nothing was measured here yet."));
}

void PlanPanel::set(const OpenImage& image, const Target& target) {
  const Amounts of = amounts_of(image);
  const bool on_device = target.device != nullptr, chosen = on_device || !target.path.isEmpty();
  bar_->setVisible(of.known && chosen && !of.at_most);
  const auto part = [&](const Row& row, uint64_t bytes, bool shown) {
    row.widget->setVisible(chosen && shown);
    row.amount->set_text(!of.known    ? tr("not known yet")
                         : of.at_most ? tr("at most %1").arg(Sizes::decimal(bytes))
                                      : Sizes::decimal(bytes));
  };
  part(write_, of.write, !of.known || of.write > 0);
  part(zero_, on_device ? of.zero + of.skip : of.zero, of.known && (of.zero || (on_device && of.skip)));
  part(skip_, of.skip, of.known && !on_device && of.skip > 0);
  QVector<PlanBar::Part> parts{{PlanBar::Mark::write, of.write, tr("Write")}};
  if (on_device)
    parts << PlanBar::Part{PlanBar::Mark::zero, of.zero + of.skip, tr("Zero")};
  else
    parts << PlanBar::Part{PlanBar::Mark::zero, of.zero, tr("Zero")}
          << PlanBar::Part{PlanBar::Mark::skip, of.skip, tr("Skip")};
  bar_->set_parts(parts);

  show_time(image, target, of);
  rule_->setVisible(chosen);
  if (!chosen) {
    time_why_->set_text(tr("What will be done shows here, once it is chosen where."));
    time_why_->show();
  }
  for (const Fact& fact : {request_, zeroing_, durable_}) fact.widget->setVisible(chosen);
  show_how(target);
  const QString warning = on_device        ? DeviceWords::sector_mismatch(image.partitions(), target.device->disk)
                          : image.device() ? DeviceWords::why_not_whole(image.device()->usage)
                                           : QString();
  warning_->set_text(warning);
  warning_->setVisible(!warning.isEmpty());
  show_room(target, of);
}

// How it will be done depends on where it goes.
void PlanPanel::show_how(const Target& target) {
  const bool on_device = target.device != nullptr;
  request_.value->set_text(on_device ? Sizes::binary(1 << 20) : tr("Chosen"));
  request_.why->set_text(on_device ? tr("To begin with. Tuned while copying: the fastest size is kept.")
                                   : tr("By how the source is stored. Tuned while copying."));
  if (!on_device) {
    zeroing_.value->set_text(tr("None needed"));
    zeroing_.why->set_text(tr("A fresh file already reads as zero."));
    durable_.value->set_text(tr("At the end"));
    durable_.why->set_text(tr("One flush, then the rename, then the folder."));
    return;
  }
  const Limits limits = reported_limits_of(target.device->disk.number);
  const bool command = limits.max_write_zeroes.value.has_value();
  zeroing_.value->set_text(command ? tr("By command") : tr("By writing"));
  zeroing_.why->set_text(command ? tr("Its command is timed; where writing is faster, zeroes are written.")
                                 : tr("The device offers no command for it."));
  durable_.value->set_text(tr("Before verifying"));
  durable_.why->set_text(tr("Flushed to the medium, then read back past the caches."));
}

void PlanPanel::show_room(const Target& target, const Amounts& of) {
  const auto preallocation = target.options.find("preallocation");
  const bool fills = preallocation != target.options.end() && preallocation->second != "off";
  has_room_ = true;
  bool may_not_fit = false;
  QString words;
  if (target.device) {
    const uint64_t there = target.device->disk.size;
    has_room_ = of.size <= there;
    words = has_room_ ? tr("Needs %1, the device has %2").arg(Sizes::decimal(of.size), Sizes::decimal(there))
                      : tr("Image needs %1 more").arg(Sizes::exact(of.size - there));
  } else if (!target.path.isEmpty()) {
    const QStorageInfo storage(QFileInfo(target.path).absolutePath());
    const auto free = static_cast<uint64_t>(std::max<qint64>(0, storage.bytesAvailable()));
    const bool sparse = of.known && target.format && target.format->name == "raw" && !fills;
    const uint64_t needed =
        sparse ? of.write : (of.known ? of.write : of.size) + overhead_of(target, of.size).value_or(0);
    const bool at_most = target.compress || (of.at_most && !fills);
    has_room_ = !of.known || at_most || needed <= free;
    may_not_fit = of.known && needed > free;
    words = !of.known ? tr("%1 free").arg(Sizes::decimal(free))
            : at_most ? tr("Needs at most %1, %2 free").arg(Sizes::decimal(needed), Sizes::decimal(free))
                      : tr("Needs %1, %2 free").arg(Sizes::decimal(needed), Sizes::decimal(free));
  }
  room_->set_text(words);
  room_->set_ink(!has_room_ ? Ink::bad : may_not_fit ? Ink::warn : Ink::text);
  room_sign_->setVisible(!words.isEmpty());
  const char* sign = !has_room_ ? "data-error" : may_not_fit ? "data-warning" : "checkmark";
  room_sign_->setPixmap(action_icon(QLatin1String(sign)).pixmap(QSize(16, 16), devicePixelRatioF()));
}

}  // namespace disklathe::ui
