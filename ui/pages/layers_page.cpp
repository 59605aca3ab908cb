// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/layers_page.h"

#include <QFileInfo>
#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/fact_table.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/theme/glyph.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

QString text(const std::string& from) { return QString::fromStdString(from); }

// A card with a mark, a title, a line, and what stands at its end.
QHBoxLayout* card_row(Card& card, Glyph glyph, const QString& title, const QString& line) {
  auto* row = new QHBoxLayout(&card);
  row->setContentsMargins(16, 10, 12, 10);
  row->setSpacing(16);
  row->addWidget(new GlyphView(glyph, 32));
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  auto* name = new TextLabel(title, Face::section);
  auto* caption = new TextLabel(line, Face::caption, Ink::muted);
  name->set_elided();
  caption->set_elided();
  words->addWidget(name);
  words->addWidget(caption);
  row->addLayout(words, 1);
  return row;
}

QWidget* layer_card(const job::LayerFacts& layer, size_t depth) {
  QStringList facts{text(layer.format),
                    LayersPage::tr("%1 on disk").arg(Sizes::decimal(layer.allocated.value_or(layer.file_size)))};
  if (layer.facts.cluster_size) facts << LayersPage::tr("clusters of %1").arg(Sizes::binary(*layer.facts.cluster_size));
  if (layer.probed) facts << LayersPage::tr("format by its content");
  if (layer.facts.compressed) facts << LayersPage::tr("compressed");
  if (layer.facts.encrypted.value_or(false)) facts << LayersPage::tr("encrypted");
  facts << text(layer.name);
  auto* card = new Card;
  auto* row = card_row(*card, depth ? Glyph::layers : Glyph::image, QFileInfo(text(layer.name)).fileName(),
                       facts.join(QStringLiteral(" · ")));
  row->addWidget(new TextLabel(Sizes::decimal(layer.virtual_size), Face::title));
  return card;
}

}  // namespace

LayersPage::LayersPage(QWidget* parent) : Page(parent) { list_ = static_cast<QVBoxLayout*>(body()->layout()); }

void LayersPage::set_image(const ImagePtr& image) {
  if (image_) image_->disconnect(this);
  image_ = image;
  connect(image.get(), &OpenImage::changed, this, &LayersPage::rebuild);
  rebuild();
}

void LayersPage::rebuild() {
  while (QLayoutItem* item = list_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  const auto& layers = image_->layers();
  if (layers.empty()) {
    list_->addWidget(new TextLabel(image_->stream() ? tr("One compressed file, without layers.") : image_->facts(),
                                   Face::body, Ink::muted));
    list_->addStretch(1);
    return;
  }
  for (size_t depth = 0; depth < layers.size(); ++depth) {
    if (depth) {
      auto* stands_on = new TextLabel(tr("stands on"), Face::caption, Ink::muted);
      stands_on->setContentsMargins(24, 0, 0, 0);
      list_->addWidget(stands_on);
    }
    list_->addWidget(layer_card(layers[depth], depth));
  }
  for (const WorkerJob::Refused& reference : image_->references_to_allow()) {
    auto* ask = new TextLabel(
        tr("It names a file that was not opened. An image can name any file of yours: allow it only if you expect it."),
        Face::body);
    ask->setWordWrap(true);
    list_->addWidget(ask);
    auto* card = new Card(Card::Tone::warn);
    const QString where = QFileInfo::exists(reference.path) ? reference.path : tr("%1 (not there)").arg(reference.path);
    // By a path it names what stands in the line below.
    const bool path = reference.name == reference.path;
    auto* row = card_row(*card, Glyph::layers, path ? QFileInfo(reference.path).fileName() : reference.name,
                         reference.format.isEmpty() ? where : tr("%1 · %2").arg(reference.format, where));
    auto* allow = make_button(tr("Allow"));
    allow->setAccessibleName(tr("Allow %1").arg(reference.path));
    allow->setEnabled(QFileInfo::exists(reference.path));
    connect(allow, &QPushButton::clicked, this, [this, path = reference.path] { image_->allow(path); });
    row->addWidget(allow);
    list_->addWidget(card);
  }
  const auto& snapshots = layers.front().facts.snapshots;
  if (!snapshots.empty()) {
    list_->addSpacing(4);
    list_->addWidget(new TextLabel(tr("Snapshots inside of it"), Face::section));
    auto* table = new FactTable(tr("Snapshots"), {{tr("Name"), FactTable::Look::first, 0},
                                                  {tr("Taken"), FactTable::Look::plain, 0},
                                                  {tr("Disk"), FactTable::Look::number, 120},
                                                  {tr("Machine state"), FactTable::Look::number, 160}});
    QVector<QVector<FactTable::Cell>> rows;
    for (const Snapshot& snapshot : snapshots)
      rows << QVector<FactTable::Cell>{
          {text(snapshot.name.empty() ? snapshot.id : snapshot.name)},
          {Sizes::locale().toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(snapshot.date_seconds)),
                                    QLocale::ShortFormat)},
          {Sizes::decimal(snapshot.disk_size)},
          {snapshot.vm_state_size ? Sizes::decimal(snapshot.vm_state_size) : tr("none"), false,
           !snapshot.vm_state_size}};
    table->set_rows(rows);
    list_->addWidget(table);
  }
  list_->addStretch(1);
}

}  // namespace disklathe::ui
