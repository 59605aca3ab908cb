// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/disk_words.h"

#include "ui/words/sizes.h"

namespace disklathe::ui {

struct DiskWords::Fact {
  Row row;
  bool reported = false;
};

std::vector<DiskWords::Fact> DiskWords::facts(const Identified& disk) {
  std::vector<Fact> facts;
  const auto size = [&](const QString& title, std::optional<uint64_t> value, const QString& meaning) {
    facts.push_back({{title, Sizes::binary(value.value_or(0)), meaning}, value.has_value()});
  };
  const auto flag = [&](const QString& title, std::optional<bool> value, const QString& yes, const QString& no) {
    const bool set = value.value_or(false);
    facts.push_back({{title, set ? tr("yes") : tr("no"), set ? yes : no}, value.has_value()});
  };
  size(tr("Logical block"), disk.logical_block, tr("The unit of its commands, whatever a bridge makes of it."));
  size(tr("Maximum transfer"), disk.max_transfer, tr("It takes no longer command. The kernel keeps to that."));
  size(tr("Optimal transfer"), disk.optimal_transfer,
       tr("The command it does best with; much longer ones may cost more."));
  size(tr("Transfer granularity"), disk.transfer_granularity,
       tr("Commands that are no multiple of this cost it more."));
  size(tr("Boundary"), disk.boundary, tr("A command across a multiple of this costs as two."));
  size(tr("Maximum write zeroes"), disk.max_write_zeroes, tr("One command zeroes no more."));
  flag(tr("Unmaps"), disk.unmaps, tr("It can be told which blocks are not needed any more."),
       tr("It cannot be told which blocks are not needed any more."));
  size(tr("Maximum unmap"), disk.max_unmap, tr("One command gives back no more."));
  facts.push_back({{tr("Maximum unmap ranges"), Sizes::number(disk.max_unmap_ranges.value_or(0)),
                    tr("One command names no more ranges.")},
                   disk.max_unmap_ranges.has_value()});
  size(tr("Unmap granularity"), disk.unmap_granularity,
       tr("Smaller ranges, or off its multiples, may stay allocated."));
  size(tr("Unmap offset"), disk.unmap_offset, tr("Those multiples are counted from here."));
  flag(tr("Unmapped reads as zero"), disk.unmapped_reads_zero, tr("So it promises; nothing here relies on it."),
       tr("What was unmapped may read as anything."));
  flag(tr("Thin provisioned"), disk.thin, tr("It may have less room than it says: a write can fail for want of it."),
       tr("There is room for all of its blocks."));
  const uint64_t rotation = disk.rotation_rate.value_or(0);
  facts.push_back({{tr("Rotation"), rotation ? tr("%1 rpm").arg(Sizes::number(rotation)) : tr("no"),
                    rotation ? tr("Seeks are expensive.") : tr("It does not rotate.")},
                   disk.rotation_rate.has_value()});
  return facts;
}

std::vector<DiskWords::Row> DiskWords::rows(const Identified& disk) {
  std::vector<Row> rows;
  for (Fact& fact : facts(disk))
    if (fact.reported) rows.push_back(std::move(fact.row));
  return rows;
}

QString DiskWords::not_reported(const Identified& disk) {
  QStringList titles;
  for (const Fact& fact : facts(disk))
    if (!fact.reported) titles << fact.row.title;
  return titles.isEmpty() ? QString() : tr("Not reported: %1.").arg(titles.join(QStringLiteral(", ")));
}

QString DiskWords::who(const Identified& disk) {
  const auto text = [](const std::string& from) { return QString::fromStdString(from); };
  const QString name = (text(disk.vendor) + QLatin1Char(' ') + text(disk.model)).simplified();
  const QString protocol = text(std::string(name_of(disk.protocol))).toUpper();
  return disk.firmware.empty()
             ? tr("%1 (%2)", "name, protocol").arg(name, protocol)
             : tr("%1, firmware %2 (%3)", "name, version, protocol").arg(name, text(disk.firmware), protocol);
}

bool DiskWords::can_be_asked(const Disk& disk) {
  switch (disk.bus) {
    case Bus::ata:
    case Bus::usb:
    case Bus::nvme:
    case Bus::nvme_fabrics:
    case Bus::scsi:
    case Bus::sas:
    case Bus::fibre_channel:
    case Bus::iscsi:
    case Bus::firewire: return true;
    default: return false;
  }
}

}  // namespace disklathe::ui
