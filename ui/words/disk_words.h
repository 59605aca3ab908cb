// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/identify.h"

namespace disklathe::ui {

// What a disk says of itself, in words for a person.
class DiskWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::DiskWords)

 public:
  struct Row {
    QString title, value, meaning;
  };
  static std::vector<Row> rows(const Identified& disk);  // of what it reports
  static QString not_reported(const Identified& disk);   // the titles of the rest; empty: it reports all
  static QString who(const Identified& disk);            // "Samsung PSSD T7, firmware 0 (SCSI)"
  static bool can_be_asked(const Disk& disk);            // it stands on a bus whose disks have such commands

 private:
  struct Fact;
  static std::vector<Fact> facts(const Identified& disk);
};

}  // namespace disklathe::ui
