// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>
#include <cstdint>
#include <optional>

namespace disklathe::ui {

// Numbers with their units. A number and its unit stay on one line, and together in a right-to-left text.
class Sizes {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::Sizes)

 public:
  // Devices and images: "64.4 GB", "1.00 TB" (powers of 1000).
  static QString decimal(uint64_t bytes);
  // Requests and limits: "512 B", "4 KiB", "1.25 TiB" (powers of 1024); "33,553,920 B" where that is not short.
  static QString binary(uint64_t bytes);
  static QString exact(uint64_t bytes);          // "1,000,204,886,016 bytes"
  static QString number(uint64_t value);         // "1,572,864"
  static QString rate(double bytes_per_second);  // "214 MB/s"
  static QString percent(double share);          // of 0 to 1; 100 only when it is 1
  static QString duration(double seconds);       // "4 min 52 s"
  // A range, never a countdown: "4–5 min".
  static QString time_left(double least, double most);
  static QString hex(uint64_t offset);  // "0xC000_0000"

  // "10 MiB", "512", "4k": bytes, powers of 1024.
  static std::optional<uint64_t> parse(const QString& text);

  // The user's; English where there is none, as the C locale groups no digits.
  static QLocale locale();
};

}  // namespace disklathe::ui
