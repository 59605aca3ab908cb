// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/partitions_page.h"

#include <QVBoxLayout>

#include "ui/controls/fact_table.h"
#include "ui/controls/text_label.h"
#include "ui/pictures/alignment_picture.h"
#include "ui/pictures/device_map.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

PartitionsPage::PartitionsPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  table_kind_ = new TextLabel({}, Face::body, Ink::muted);
  column->addWidget(table_kind_);
  map_ = new DeviceMap;
  column->addWidget(map_);
  table_ = new FactTable(tr("Partitions"), {{tr("Partition"), FactTable::Look::first, 120},
                                            {tr("Start"), FactTable::Look::number, 176},
                                            {tr("Size"), FactTable::Look::number, 104},
                                            {tr("Content"), FactTable::Look::plain, 0},
                                            {tr("Used by"), FactTable::Look::plain, 0}});
  column->addWidget(table_);
  alignment_title_ = new TextLabel(tr("Where they begin"), Face::section);
  column->addWidget(alignment_title_);
  alignment_ = new AlignmentPicture;
  column->addWidget(alignment_);
  column->addStretch(1);
}

void PartitionsPage::set_device(const DevicePtr& device) {
  device_ = device;
  const Disk& disk = device->disk;
  map_->set_device(device);
  const QString kind = QString::fromStdString(disk.content.table_type).toUpper();
  if (disk.content.source == ContentSource::unknown)
    table_kind_->set_text(tr("What is on it is not known: it may not be read without rights."));
  else if (disk.partitions.empty())
    table_kind_->set_text(DeviceWords::blank(disk) ? tr("Nothing is on it.")
                                                   : tr("No partitions: %1.").arg(DeviceWords::content(disk.content)));
  else
    table_kind_->set_text(
        tr("Partition table %1, %n partition(s), sectors of %2", nullptr, static_cast<int>(disk.partitions.size()))
            .arg(kind.isEmpty() ? tr("unknown") : kind, Sizes::binary(disk.logical_block)));
  QVector<QVector<FactTable::Cell>> rows;
  for (size_t i = 0; i < disk.partitions.size(); ++i) {
    const Partition& partition = disk.partitions[i];
    QStringList users;
    for (const Hold& hold : device->partition_usage.at(i).holds) users << DeviceWords::hold(hold);
    rows << QVector<FactTable::Cell>{
        {QString::fromStdString(partition.name)},
        {Sizes::number(partition.start)},
        {Sizes::decimal(partition.size)},
        {DeviceWords::content(partition.content), false, partition.content.type.empty()},
        {users.isEmpty() ? tr("nobody") : users.join(QStringLiteral(", ")), false, users.isEmpty()}};
  }
  table_->set_rows(rows);
  table_->setVisible(!rows.isEmpty());
  alignment_title_->setVisible(!rows.isEmpty());
  alignment_->setVisible(!rows.isEmpty());
  alignment_->set_device(device, physical_block_);
}

void PartitionsPage::set_physical_block(uint64_t bytes) {
  physical_block_ = bytes;
  if (device_) alignment_->set_device(device_, bytes);
}

}  // namespace disklathe::ui
