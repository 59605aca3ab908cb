// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/contents_page.h"

#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/figure.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/pages/job_painting.h"
#include "ui/pictures/allocation_map.h"
#include "ui/pictures/map_legend.h"
#include "ui/words/core_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

QString sentence_of(const std::string& warning) {
  QString words = CoreWords::translated(warning).value_or(QString::fromStdString(warning));
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words + QLatin1Char('.');
}

}  // namespace

ContentsPage::ContentsPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* figures = new QHBoxLayout;
  figures->setSpacing(32);
  guest_ = new Figure;
  stored_ = new Figure;
  format_ = new Figure;
  files_ = new Figure;
  for (Figure* figure : {guest_, stored_, format_, files_}) figures->addWidget(figure);
  figures->addStretch(1);
  column->addLayout(figures);
  notes_ = new TextLabel({}, Face::body, Ink::warn);
  notes_->setWordWrap(true);
  column->addWidget(notes_);
  rule_ = new Rule;
  column->addWidget(rule_);
  hint_ = new TextLabel({}, Face::body, Ink::muted);
  hint_->setWordWrap(true);
  column->addWidget(hint_);
  legend_ = new MapLegend;
  column->addWidget(legend_);
  map_ = new AllocationMap;
  column->addWidget(map_, 1000);
  column->addStretch(1);
}

void ContentsPage::set_image(const ImagePtr& image) {
  if (image_) image_->disconnect(this);
  image_ = image;
  connect(image.get(), &OpenImage::changed, this, &ContentsPage::show_facts);
  connect(image.get(), &OpenImage::map_grew, this, &ContentsPage::show_map);
  show_facts();
  show_map();
}

void ContentsPage::show_facts() {
  const bool ready = image_->state() == OpenImage::State::ready;
  const uint64_t size = image_->virtual_size();
  guest_->set(size ? Sizes::decimal(size) : tr("not known yet"),
              image_->stream() ? tr("once decompressed") : tr("seen by the guest"));
  stored_->set(Sizes::decimal(image_->stored()), tr("on disk"));
  format_->set(image_->format(), tr("by its content"));
  files_->set(Sizes::number(image_->layers().size()), tr("layers"));
  files_->setVisible(image_->layers().size() > 1);
  for (Figure* figure : {guest_, stored_, format_}) figure->setVisible(ready);
  rule_->setVisible(ready);

  QStringList notes;
  if (image_->has_wrong_extension())
    notes << tr("Its name says another format than its content: it is %1.").arg(image_->format());
  for (const job::LayerFacts& layer : image_->layers()) {
    if (layer.facts.encrypted.value_or(false))
      notes << tr("It is encrypted: its content cannot be shown or converted.");
    for (const std::string& warning : layer.facts.warnings) notes << sentence_of(warning);
  }
  notes_->set_text(notes.join(QLatin1Char('\n')));
  notes_->setVisible(!notes.isEmpty());
  show_map();
}

void ContentsPage::show_map() {
  const ContentCells& cells = image_->cells();
  const bool asks = !image_->references_to_allow().isEmpty();
  QString hint;
  if (image_->state() == OpenImage::State::failed)
    hint = image_->failure_help();  // the sentence stands above
  else if (image_->stream())
    hint = tr("It is compressed as a whole: what is in it shows only while it is converted.");
  else if (asks)
    hint = tr("It stands on other files. They are opened once you allow it; then its contents show.");
  else if (!image_->failure().isEmpty())
    hint = (image_->failure() + QLatin1Char(' ') + image_->failure_help()).trimmed();
  else if (!image_->map_complete())
    hint = tr("Reading the map.");
  hint_->set_text(hint);
  hint_->setVisible(!hint.isEmpty());
  const bool drawn = !cells.empty() && !asks;
  map_->setVisible(drawn);
  legend_->setVisible(drawn);
  if (!drawn) return;
  map_->set_cells(cells);
  legend_->set_items(legend_of(cells, nullptr, true));
}

}  // namespace disklathe::ui
