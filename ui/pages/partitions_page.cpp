// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/partitions_page.h"

#include <QVBoxLayout>

#include "ui/controls/fact_table.h"
#include "ui/controls/text_label.h"
#include "ui/images/image_disk.h"
#include "ui/images/open_image.h"
#include "ui/pictures/alignment_picture.h"
#include "ui/pictures/device_map.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int column_used_by = 4;
constexpr uint64_t usual_physical_block = 4096;  // of the disks that an image may be written to

QString table_words(const Disk& disk) {
  const QString kind = DeviceWords::table(disk.content);
  return PartitionsPage::tr("Partition table %1, %n partition(s), sectors of %2", nullptr,
                            static_cast<int>(disk.partitions.size()))
      .arg(kind.isEmpty() ? PartitionsPage::tr("unknown") : kind, Sizes::binary(disk.logical_block));
}

// Why an image finds its partitions only on some devices; empty: it finds them anywhere, as far as can be told.
QString sector_advice(const OpenImage& image) {
  const auto& table = image.partitions();
  if (!table || !table->sector_size || table->kind == PartitionTable::Kind::none) return {};
  return PartitionsPage::
      tr("Its table counts in sectors of %1. On a device with sectors of another size nothing finds these partitions.")
          .arg(Sizes::binary(*table->sector_size));
}

}  // namespace

PartitionsPage::PartitionsPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  summary_ = new TextLabel({}, Face::body, Ink::muted);
  summary_->setWordWrap(true);
  column->addWidget(summary_);
  map_ = new DeviceMap;
  column->addWidget(map_);
  table_ = new FactTable(tr("Partitions"), {{tr("Partition"), FactTable::Look::first, 120},
                                            {tr("Start"), FactTable::Look::number, 176},
                                            {tr("Size"), FactTable::Look::number, 104},
                                            {tr("Content"), FactTable::Look::plain, 0},
                                            {tr("Used by"), FactTable::Look::plain, 0}});
  column->addWidget(table_);
  advice_ = new TextLabel({}, Face::body, Ink::muted);
  advice_->setWordWrap(true);
  column->addWidget(advice_);
  alignment_title_ = new TextLabel({}, Face::section);
  column->addWidget(alignment_title_);
  alignment_ = new AlignmentPicture;
  column->addWidget(alignment_);
  column->addStretch(1);
}

void PartitionsPage::set_device(const DevicePtr& device) {
  const Disk& disk = device->disk;
  QString summary;
  if (disk.content.source == ContentSource::unknown)
    summary = tr("What is on it is not known: it may not be read without rights.");
  else if (!disk.partitions.empty())
    summary = table_words(disk);
  else
    summary = DeviceWords::nothing_known(disk)
                  ? tr("No file system or partition table that is known is on it. It may hold data all the same.")
              : !DeviceWords::table(disk.content).isEmpty()
                  ? tr("%1, a partition table, is on it, but the kernel shows no partitions of it.")
                        .arg(DeviceWords::table(disk.content))
                  : tr("No partitions: %1.").arg(DeviceWords::content(disk.content));
  advice_->hide();
  alignment_title_->set_text(tr("Where they begin"));
  show_disk(device, summary, true);
}

void PartitionsPage::set_physical_block(uint64_t bytes) {
  physical_block_ = bytes;
  if (disk_) alignment_->set_device(disk_, bytes);
}

void PartitionsPage::set_image(const OpenImage& image) {
  physical_block_ = usual_physical_block;
  const DevicePtr disk = disk_in(image);
  const QString advice = sector_advice(image);
  advice_->set_text(advice);
  advice_->setVisible(disk && !advice.isEmpty());
  alignment_title_->set_text(
      tr("Where they begin, on a device with physical blocks of %1").arg(Sizes::binary(usual_physical_block)));
  QString summary;
  if (image.stream())
    summary = tr("It is compressed as a whole: its partitions show once it is converted.");
  else if (!disk)
    summary =
        image.references_to_allow().isEmpty() ? image.facts() : tr("It stands on files that you have not allowed yet.");
  else if (!disk->disk.partitions.empty())
    summary = table_words(disk->disk);
  else
    summary = disk->disk.content.type.empty()
                  ? tr("It has no partition table, and nothing that is known begins at its start.")
                  : tr("No partitions: %1.").arg(DeviceWords::content(disk->disk.content));
  show_disk(disk, summary, false);
}

void PartitionsPage::show_disk(const DevicePtr& device, const QString& summary, bool with_users) {
  disk_ = device;
  summary_->set_text(summary);
  table_->setColumnHidden(column_used_by, !with_users);
  const bool any = device && !device->disk.partitions.empty();
  map_->setVisible(device && (with_users || any));
  for (QWidget* widget : std::initializer_list<QWidget*>{table_, alignment_title_, alignment_}) widget->setVisible(any);
  if (!device) return;
  map_->set_device(device);
  QVector<QVector<FactTable::Cell>> rows;
  for (size_t i = 0; i < device->disk.partitions.size(); ++i) {
    const Partition& partition = device->disk.partitions[i];
    QStringList users;
    for (const Hold& hold : device->partition_usage.at(i).holds) users << DeviceWords::hold(hold);
    QString content = DeviceWords::content(partition.content);
    // The name in the table says what the file system's label does not.
    const QString name = QString::fromStdString(partition.content.entry_name);
    if (!name.isEmpty() && !content.contains(name)) content = tr("%1 · %2", "content, name").arg(content, name);
    rows << QVector<FactTable::Cell>{
        {QString::fromStdString(partition.name)},
        {Sizes::number(partition.start)},
        {Sizes::decimal(partition.size)},
        {content, false, partition.content.type.empty()},
        {users.isEmpty() ? tr("nobody") : users.join(QStringLiteral(", ")), false, users.isEmpty()}};
  }
  table_->set_rows(rows);
  alignment_->set_device(device, physical_block_);
}

}  // namespace disklathe::ui
