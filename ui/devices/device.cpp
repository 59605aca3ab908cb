// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devices/device.h"

namespace disklathe::ui {

bool same_device(const Disk& a, const Disk& b) {
  return a.name == b.name && a.number == b.number && a.diskseq == b.diskseq && a.serial == b.serial && a.wwn == b.wwn &&
         a.size == b.size;
}

bool is_still(const Disk& disk, const Identity& now) {
  return differences({.name = disk.name,
                      .number = disk.number,
                      .diskseq = disk.diskseq,
                      .serial = disk.serial,
                      .wwn = disk.wwn,
                      .size = disk.size},
                     now)
      .empty();
}

}  // namespace disklathe::ui
