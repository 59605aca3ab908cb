// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QString>
#include <optional>
#include <vector>

#include "core/device/limit_report.h"
#include "core/device/request_shape.h"

namespace disklathe::ui {

// One limit for a person: what it is, what the device says, who said it, and what follows from it.
struct LimitRow {
  const char* key = "";  // in JSON, as the command names it: "max-transfer"
  QString title, value;
  LimitSource source = LimitSource::none;
  QString meaning;
  std::optional<uint64_t> number, used;  // used: what is worked with, where that is not what the device says
  bool absent = false;                   // value says so: "not reported"
};

class LimitWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::LimitWords)

 public:
  static std::vector<LimitRow> rows(const LimitReport& report);
  static QString source(LimitSource source);
  static QString sentence(const LimitFinding& finding);
  // As `disklathe limits --output=json` prints it.
  static QByteArray json(const QString& path, const LimitReport& report);

  // The consequence of a request: "3 commands, 2 read-modify-writes", and why.
  static QString headline(const RequestShape& shape);
  static QString why(const RequestShape& shape, const LimitReport& report);

 private:
  static void add_alignment(const LimitReport& report, std::vector<LimitRow>& rows);
  static void add_blocks(const LimitReport& report, std::vector<LimitRow>& rows);
  static void add_transfers(const LimitReport& report, std::vector<LimitRow>& rows);
  static void add_commands(const LimitReport& report, std::vector<LimitRow>& rows);
};

}  // namespace disklathe::ui
