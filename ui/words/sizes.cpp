// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/sizes.h"

#include <QGuiApplication>
#include <array>
#include <cmath>

namespace disklathe::ui {
namespace {

constexpr QChar no_break_space(0xa0), isolate_begin(0x2066), isolate_end(0x2069);

QString joined(const QString& number, const QString& unit) {
  const QString text = number + no_break_space + unit;
  return QGuiApplication::layoutDirection() == Qt::RightToLeft ? isolate_begin + text + isolate_end : text;
}

}  // namespace

QLocale Sizes::locale() {
  const QLocale users;
  return users.language() == QLocale::C ? QLocale(QLocale::English, QLocale::UnitedStates) : users;
}

QString Sizes::decimal(uint64_t bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  // 999.96 MB is 1.0 GB.
  while (unit + 1 < units.size() && value >= (unit == 0 ? 1000 : 999.95)) {
    value /= 1000;
    ++unit;
  }
  const int digits = unit == 0 ? 0 : unit >= 4 ? 2 : 1;
  return joined(locale().toString(value, 'f', digits), QString::fromLatin1(units[unit]));
}

QString Sizes::binary(uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (unit + 1 < units.size() && bytes >> (10 * (unit + 1))) ++unit;
  const double value = static_cast<double>(bytes) / std::ldexp(1.0, static_cast<int>(10 * unit));
  // A half, a quarter, an eighth; what is none of them would be rounded.
  int digits = 0;
  while (digits < 4 && std::ldexp(value, digits) != std::floor(std::ldexp(value, digits))) ++digits;
  if (digits == 4) return joined(number(bytes), QStringLiteral("B"));
  return joined(locale().toString(value, 'f', digits), QString::fromLatin1(units[unit]));
}

QString Sizes::exact(uint64_t bytes) { return joined(number(bytes), tr("bytes", "after an exact, large number")); }

QString Sizes::number(uint64_t value) { return locale().toString(static_cast<qulonglong>(value)); }

QString Sizes::rate(double bytes_per_second) {
  const double megabytes = bytes_per_second / 1e6;
  const int digits = megabytes < 10 ? 1 : 0;
  return joined(locale().toString(megabytes, 'f', digits), QStringLiteral("MB/s"));
}

QString Sizes::percent(double share) {
  const double percents = std::clamp(share, 0.0, 1.0) * 100;
  return joined(locale().toString(static_cast<int>(std::floor(percents))), QStringLiteral("%"));
}

QString Sizes::duration(double seconds) {
  const auto all = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (seconds < 10) return joined(locale().toString(seconds, 'f', 1), QStringLiteral("s"));
  if (all < 60) return joined(locale().toString(static_cast<qlonglong>(all)), QStringLiteral("s"));
  const auto part = [](int64_t value, const char* unit) {
    return joined(QString::number(value), QString::fromLatin1(unit));
  };
  const auto both = [&](const QString& whole, int64_t rest, const char* unit) {
    return rest ? whole + QLatin1Char(' ') + part(rest, unit) : whole;
  };
  if (all < 3600) return both(part(all / 60, "min"), all % 60, "s");
  return both(part(all / 3600, "h"), all % 3600 / 60, "min");
}

QString Sizes::time_left(double least, double most) {
  const auto range = [](int64_t from, int64_t to, const QString& unit) {
    return joined(from == to ? QString::number(from) : QStringLiteral("%1–%2").arg(from).arg(to), unit);
  };
  if (most < 50) {
    const auto up = [](double s) { return static_cast<int64_t>(std::ceil(std::max(1.0, s) / 5) * 5); };
    return tr("under %1").arg(range(up(most), up(most), QStringLiteral("s")));
  }
  if (most < 5400) {
    const auto from = std::max<int64_t>(1, static_cast<int64_t>(least / 60));
    return range(from, std::max(from + 1, static_cast<int64_t>(std::ceil(most / 60))), QStringLiteral("min"));
  }
  const auto from = std::max<int64_t>(1, static_cast<int64_t>(least / 3600));
  return range(from, std::max(from + 1, static_cast<int64_t>(std::ceil(most / 3600))), QStringLiteral("h"));
}

QString Sizes::hex(uint64_t offset) {
  QString digits = QString::number(static_cast<qulonglong>(offset), 16).toUpper();
  for (qsizetype at = digits.size() - 4; at > 0; at -= 4) digits.insert(at, QLatin1Char('_'));
  return QStringLiteral("0x") + digits;
}

std::optional<uint64_t> Sizes::parse(const QString& text) {
  QString number = text;
  number.remove(isolate_begin).remove(isolate_end).replace(no_break_space, QLatin1Char(' '));
  qsizetype end = 0;
  while (end < number.size() && (number[end].isDigit() || QStringLiteral(".,").contains(number[end]))) ++end;
  const QString unit = number.mid(end).trimmed().toLower();
  const QString digits = number.left(end);
  const QLocale users = locale();
  bool ok = false;
  double value = users.toDouble(digits, &ok);
  if (!ok) return std::nullopt;
  constexpr std::array letters{'k', 'm', 'g', 't'};
  if (!unit.isEmpty() && unit != QLatin1String("b")) {
    const auto* letter = std::find(letters.begin(), letters.end(), unit[0].toLatin1());
    const QString rest = unit.mid(1);
    if (letter == letters.end() || !(rest.isEmpty() || rest == QLatin1String("ib") || rest == QLatin1String("b")))
      return std::nullopt;
    value *= std::ldexp(1.0, static_cast<int>(10 * (letter - letters.begin() + 1)));
  }
  if (value < 1 || value > 0x1p62 || value != std::floor(value)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

}  // namespace disklathe::ui
