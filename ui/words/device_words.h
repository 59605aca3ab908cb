// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/device/target_guard.h"
#include "core/format/partition_table.h"
#include "ui/devices/device.h"
#include "ui/theme/glyph.h"

namespace disklathe::ui {

// Devices in words for a person. What comes from a device is fit to be shown already (core/device).
class DeviceWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::DeviceWords)

 public:
  static QString name(const Disk& disk);         // "Samsung T7"; of what has no model: "Loop device 0"
  static QString bus(Bus bus);                   // "USB"
  static QString backing(const Disk& disk);      // of a loop device its file; else empty
  static QString serial_tail(const Disk& disk);  // "…4F2A"; empty: none
  static QString detail(const Disk& disk);       // "1.00 TB · sdc"
  static QString facts(const Disk& disk);        // "sdc · USB · 1,000,204,886,016 bytes · serial …4F2A"
  static QString badge(const Device& device);    // "System", "Mounted", "LVM vg0", "Unknown"; empty: nothing to say
  static Glyph glyph(const Disk& disk);

  // A sentence each; empty: it may be written.
  static QString why_not_written(const Device& device);
  static QString denial(const Denial& denial);
  // It is used while an image is made of it: what becomes of the image. Empty: nothing uses it.
  static QString why_not_whole(const Usage& usage);
  static QString hold(const Hold& hold);                   // "mounted at /media/ana/T7"
  static QString table(const Content& content);            // "GPT", "MBR"; empty: there is none
  static QString content(const Content& content);          // "exFAT, T7"
  static QString partition_type(const std::string& type);  // "EFI system"; empty: not one that is known here
  // An image whose partition table counts in other sectors than the device has: what becomes of it. Empty: it fits.
  static QString sector_mismatch(const std::optional<PartitionTable>& table, const Disk& disk);
  // Where its file systems are mounted, innermost last.
  static QStringList mount_points(const Usage& usage);
  // All that holds it is a mount, so that unmounting frees it.
  static bool only_mounted(const Usage& usage);
  // Somebody looked, and found no file system and no partition table that is known. It may hold data all the same.
  static bool nothing_known(const Disk& disk);
  // Large or built in: the confirmation asks for more than a click.
  static bool needs_typing(const Disk& disk);
};

}  // namespace disklathe::ui
