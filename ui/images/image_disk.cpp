// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/images/image_disk.h"

#include "core/device/system_files.h"
#include "ui/images/open_image.h"

namespace disklathe::ui {

DevicePtr disk_in(const OpenImage& image) {
  const auto& table = image.partitions();
  if (!table || !image.virtual_size()) return nullptr;
  auto device = std::make_shared<Device>();
  Disk& disk = device->disk;
  disk.name = image.name().toStdString();
  disk.size = image.virtual_size();
  disk.logical_block = table->sector_size.value_or(512);
  disk.content.source = ContentSource::blkid;
  if (table->kind != PartitionTable::Kind::none)
    disk.content.table_type = table->kind == PartitionTable::Kind::gpt ? "gpt" : "dos";
  for (const job::DiskPart& part : image.parts()) {
    const auto set = [&](Content& content) {
      content.source = ContentSource::blkid;
      content.type = device_text(part.content.type);
      content.label = device_text(part.content.label);
      content.entry_type = device_text(part.entry.type);
      content.entry_name = device_text(part.entry.name);
    };
    if (part.entry.number == 0) {
      set(disk.content);
      continue;
    }
    Partition partition;
    partition.index = part.entry.number;
    partition.name = std::to_string(part.entry.number);
    partition.start = part.entry.range.at;
    partition.size = part.entry.range.length;
    set(partition.content);
    disk.partitions.push_back(std::move(partition));
    device->partition_usage.emplace_back();
  }
  return device;
}

}  // namespace disklathe::ui
