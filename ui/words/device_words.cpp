// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/device_words.h"

#include <algorithm>

#include "core/device/system_files.h"
#include "ui/words/error_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr uint64_t large = 256'000'000'000;  // bytes; above what cards and sticks usually are

QString text(const std::string& from) { return QString::fromStdString(from); }

}  // namespace

QString DeviceWords::name(const Disk& disk) {
  QString model = text(disk.model), vendor = text(disk.vendor);
  // "ATA" is the translation layer's name, not the maker's.
  if (vendor == QLatin1String("ATA") || vendor.startsWith(QLatin1String("0x")) ||
      model.startsWith(vendor, Qt::CaseInsensitive))
    vendor.clear();
  QString both = (vendor + QLatin1Char(' ') + model).simplified();
  if (!both.isEmpty()) return both;
  switch (disk.bus) {
    case Bus::loop: return tr("Loop device");
    case Bus::zram: return tr("Compressed memory");
    case Bus::ram: return tr("Memory disk");
    case Bus::nbd: return tr("Network disk");
    case Bus::md: return tr("RAID %1").arg(text(disk.md_level)).simplified();
    case Bus::device_mapper: return disk.dm_name.empty() ? tr("Mapped device") : text(disk.dm_name);
    case Bus::virtio: return tr("Virtual disk");
    case Bus::mmc: return tr("Memory card");
    default: return tr("%1 disk").arg(bus(disk.bus));
  }
}

QString DeviceWords::bus(Bus bus) {
  switch (bus) {
    case Bus::unknown: return tr("unknown bus");
    case Bus::ata: return QStringLiteral("SATA");
    case Bus::usb: return QStringLiteral("USB");
    case Bus::nvme: return QStringLiteral("NVMe");
    case Bus::nvme_fabrics: return tr("NVMe over a network");
    case Bus::scsi: return QStringLiteral("SCSI");
    case Bus::sas: return QStringLiteral("SAS");
    case Bus::fibre_channel: return QStringLiteral("Fibre Channel");
    case Bus::iscsi: return QStringLiteral("iSCSI");
    case Bus::virtio: return QStringLiteral("virtio");
    case Bus::mmc: return tr("SD or MMC");
    case Bus::firewire: return QStringLiteral("FireWire");
    case Bus::xen: return QStringLiteral("Xen");
    case Bus::nvdimm: return QStringLiteral("NVDIMM");
    case Bus::loop: return tr("loop");
    case Bus::zram: return QStringLiteral("zram");
    case Bus::ram: return tr("memory");
    case Bus::nbd: return QStringLiteral("NBD");
    case Bus::device_mapper: return tr("device mapper");
    case Bus::md: return tr("software RAID");
    case Bus::bcache: return QStringLiteral("bcache");
    case Bus::other_virtual: return tr("made by the kernel");
  }
  return {};
}

QString DeviceWords::backing(const Disk& disk) {
  return disk.bus == Bus::loop ? text(device_text(disk.backing)) : QString();
}

QString DeviceWords::serial_tail(const Disk& disk) {
  QString serial = text(disk.serial);
  if (serial.size() <= 6) return serial;
  // In one piece: no line breaks in it, and letters that run from right to left do not part it.
  return QStringLiteral("\u2066…\u2060%1\u2069").arg(serial.right(4));
}

QString DeviceWords::detail(const Disk& disk) {
  const QString size = disk.size ? Sizes::decimal(disk.size) : tr("no medium");
  if (const QString file = backing(disk); !file.isEmpty())
    return tr("%1 · %2 · %3", "size, kernel name, file behind a loop device")
        .arg(size, text(disk.name), file.section(QLatin1Char('/'), -1));
  return tr("%1 · %2", "size, kernel name").arg(size, text(disk.name));
}

QString DeviceWords::facts(const Disk& disk) {
  QStringList facts{text(disk.name), bus(disk.bus), Sizes::exact(disk.size)};
  if (const QString tail = serial_tail(disk); !tail.isEmpty()) facts << tr("serial %1").arg(tail);
  if (const QString file = backing(disk); !file.isEmpty()) facts << file;
  return facts.join(QStringLiteral(" · "));
}

Glyph DeviceWords::glyph(const Disk& disk) {
  switch (disk.bus) {
    case Bus::nvme:
    case Bus::nvme_fabrics: return Glyph::nvme;
    case Bus::usb:
    case Bus::firewire: return Glyph::usb;
    case Bus::mmc: return Glyph::card;
    case Bus::nbd:
    case Bus::iscsi: return Glyph::network;
    case Bus::loop: return Glyph::image;
    case Bus::device_mapper:
    case Bus::md: return Glyph::layers;
    default: return Glyph::disk;
  }
}

bool DeviceWords::nothing_known(const Disk& disk) {
  return disk.content.source != ContentSource::unknown && disk.content.type.empty() &&
         disk.content.table_type.empty() && !disk.content.ambiguous && disk.partitions.empty() && disk.size > 0;
}

bool DeviceWords::needs_typing(const Disk& disk) {
  const bool outside = disk.removable || disk.bus == Bus::usb || disk.bus == Bus::mmc || disk.bus == Bus::firewire;
  return disk.size >= large || !(outside || is_virtual(disk.bus));
}

QStringList DeviceWords::mount_points(const Usage& usage) {
  QStringList points;
  for (const Hold& hold : usage.holds)
    if (hold.kind == HoldKind::mount) points << text(hold.by);
  return points;
}

bool DeviceWords::only_mounted(const Usage& usage) {
  return usage.in_use && !usage.system && std::ranges::all_of(usage.holds, [](const Hold& hold) {
           return hold.kind == HoldKind::mount || hold.kind == HoldKind::member;
         });
}

QString DeviceWords::badge(const Device& device) {
  const Usage& usage = device.usage;
  if (usage.system) return tr("System");
  if (device.disk.size == 0) return tr("No medium");
  for (const Hold& hold : usage.holds) {
    switch (hold.kind) {
      case HoldKind::mount: return tr("Mounted");
      case HoldKind::swap: return tr("Swap");
      case HoldKind::lvm: return tr("LVM %1").arg(text(hold.detail).section(QLatin1Char('-'), 0, 0));
      case HoldKind::md: return QStringLiteral("RAID");
      case HoldKind::zfs: return tr("ZFS %1").arg(text(hold.by));
      case HoldKind::crypt: return tr("Unlocked");
      case HoldKind::member: continue;
      default: return tr("In use");
    }
  }
  if (usage.in_use) return tr("In use");
  if (device.disk.read_only) return tr("Read-only");
  for (const Hold& hold : usage.holds)
    if (hold.kind == HoldKind::member) return tr("Member");
  return nothing_known(device.disk) ? tr("Unknown") : QString();
}

QString DeviceWords::hold(const Hold& hold) {
  const QString by = text(hold.by), detail = text(hold.detail);
  switch (hold.kind) {
    case HoldKind::mount: return tr("mounted at %1").arg(by);
    case HoldKind::swap: return tr("used as swap");
    case HoldKind::hibernation: return tr("where this computer hibernates to");
    case HoldKind::crypt: return tr("unlocked as %1").arg(detail);
    case HoldKind::lvm: return tr("member of the LVM volume %1 (active)").arg(detail);
    case HoldKind::multipath: return tr("a path of %1").arg(detail);
    case HoldKind::device_mapper: return tr("mapped as %1").arg(detail);
    case HoldKind::md: return tr("member of the RAID %1 (active)").arg(by);
    case HoldKind::bcache: return tr("used by bcache");
    case HoldKind::loop: return tr("holds the file of %1").arg(by);
    case HoldKind::zram: return tr("written back to by %1").arg(by);
    case HoldKind::zfs: return tr("member of the ZFS pool %1 (active)").arg(by);
    case HoldKind::other: return tr("held by %1").arg(by);
    case HoldKind::member: return tr("part of %1, not active").arg(by.isEmpty() ? detail : by);
  }
  return {};
}

QString DeviceWords::why_not_written(const Device& device) {
  if (device.usage.system) return tr("This computer's system is on it. It can be looked at, never written.");
  if (device.disk.size == 0) return tr("There is no medium in it.");
  if (device.disk.read_only) return tr("It is read-only.");
  if (!device.usage.in_use) return {};
  for (const Hold& held : device.usage.holds) {
    if (held.kind == HoldKind::member) continue;
    const QString words = hold(held);
    return tr("It is %1.", "the place is a hold: 'mounted at /media/ana/T7'").arg(words);
  }
  return tr("A program uses it.");
}

QString DeviceWords::why_not_whole(const Usage& usage) {
  if (usage.system)
    return tr("This computer's system runs from it. What changes while it is read may not fit together in the image.");
  if (!usage.in_use) return {};
  for (const Hold& held : usage.holds)
    if (held.kind != HoldKind::member)
      return tr("It is %1. What changes while it is read may not fit together in the image: better unmount or close "
                "it first.",
                "the place is a hold: 'mounted at /media/ana/T7'")
          .arg(hold(held));
  return tr("A program uses it. What changes while it is read may not fit together in the image.");
}

QString DeviceWords::denial(const Denial& denial) {
  switch (denial.reason) {
    case Denial::Reason::failed: return ErrorWords::sentence(denial.error);
    case Denial::Reason::unlisted: return tr("The system does not list it, so nobody can tell who uses it.");
    case Denial::Reason::no_medium: return tr("There is no medium in it.");
    case Denial::Reason::read_only: return tr("It is read-only.");
    case Denial::Reason::system: return tr("This computer's system is on it. It can be looked at, never written.");
    case Denial::Reason::replaced: return tr("Another device, or another medium, is in its place.");
    case Denial::Reason::held: break;
  }
  for (const Hold& held : denial.usage.holds)
    if (held.kind != HoldKind::member)
      return tr("It is %1.", "the place is a hold: 'mounted at /media/ana/T7'").arg(hold(held));
  return tr("A program uses it.");
}

QString DeviceWords::sector_mismatch(const std::optional<PartitionTable>& table, const Disk& disk) {
  if (!table || !table->sector_size || *table->sector_size == disk.logical_block) return {};
  return tr("The image's partition table counts in sectors of %1, the device has %2: it will show no partitions and "
            "not "
            "boot.")
      .arg(Sizes::binary(*table->sector_size), Sizes::binary(disk.logical_block));
}

// What a partition is meant for, by its entry in the table: of a GPT (UEFI, and the Discoverable Partitions
// Specification) or an MBR.
QString DeviceWords::partition_type(const std::string& type) {
  struct Known {
    std::string_view type;
    const char* words;
  };
  static constexpr Known known[] = {
      {"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", QT_TR_NOOP("EFI system")},
      {"21686148-6449-6e6f-744e-656564454649", QT_TR_NOOP("BIOS boot")},
      {"e3c9e316-0b5c-4db8-817d-f92df00215ae", QT_TR_NOOP("Microsoft reserved")},
      {"ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", QT_TR_NOOP("Microsoft data")},
      {"de94bba4-06d1-4d40-a16a-bfd50179d6ac", QT_TR_NOOP("Windows recovery")},
      {"0fc63daf-8483-4772-8e79-3d69d8477de4", QT_TR_NOOP("Linux files")},
      {"4f68bce3-e8cd-4db1-96e7-fbcaf984b709", QT_TR_NOOP("Linux root")},
      {"0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", QT_TR_NOOP("Linux swap")},
      {"e6d6d379-f507-44c2-a23c-238f2a3df928", QT_TR_NOOP("Linux LVM")},
      {"a19d880f-05fc-4d3b-a006-743f0f84911e", QT_TR_NOOP("Linux RAID")},
      {"48465300-0000-11aa-aa11-00306543ecac", QT_TR_NOOP("Apple HFS+")},
      {"7c3457ef-0000-11aa-aa11-00306543ecac", QT_TR_NOOP("Apple APFS")},
      {"0x05", QT_TR_NOOP("extended")},
      {"0x0f", QT_TR_NOOP("extended")},
      {"0x07", QT_TR_NOOP("NTFS or exFAT")},
      {"0x0b", QT_TR_NOOP("FAT32")},
      {"0x0c", QT_TR_NOOP("FAT32")},
      {"0x82", QT_TR_NOOP("Linux swap")},
      {"0x83", QT_TR_NOOP("Linux files")},
      {"0x8e", QT_TR_NOOP("Linux LVM")},
      {"0xef", QT_TR_NOOP("EFI system")},
      {"0xfd", QT_TR_NOOP("Linux RAID")},
  };
  for (const Known& one : known)
    if (one.type == type) return tr(one.words);
  return {};
}

QString DeviceWords::table(const Content& content) {
  return content.table_type == "dos" ? QStringLiteral("MBR") : text(content.table_type).toUpper();
}

QString DeviceWords::content(const Content& content) {
  if (content.source == ContentSource::unknown) return tr("content unknown");
  if (content.ambiguous) return tr("signatures of several kinds");
  if (content.type.empty()) {
    if (const QString meant = partition_type(content.entry_type); !meant.isEmpty()) return meant;
    return content.table_type.empty() ? tr("nothing known on it") : table(content);
  }
  const QString type = text(content.type);
  return content.label.empty() ? type : tr("%1, %2", "file system, label").arg(type, text(content.label));
}

}  // namespace disklathe::ui
