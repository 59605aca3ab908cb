// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/size_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/arithmetic.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view unit_letters = "KMGTPE";

// The unit that stands after the number, in bytes.
std::optional<uint64_t> parse_unit(std::string_view text) {
  if (text.empty() || text == "b" || text == "B") return 1;
  const char letter = text[0] == 'k' ? 'K' : text[0];
  const size_t power = unit_letters.find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(1);
  if (!rest.empty() && rest != "i" && rest != "iB") return std::nullopt;
  return uint64_t{1} << (10 * (power + 1));
}

std::optional<uint64_t> bounded(std::optional<uint64_t> size) {
  return size && *size <= max_size ? size : std::nullopt;
}

}  // namespace

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t whole = 0;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), whole, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return bounded(whole);
  }
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(after - text.data()));

  // The fraction as digits / scale, exact to the byte; digits past the 18th are below a byte of any unit.
  uint64_t digits = 0, scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
      if (scale == 1'000'000'000'000'000'000) continue;
      digits = digits * 10 + static_cast<uint64_t>(text[0] - '0');
      scale *= 10;
    }
  }
  const auto unit = parse_unit(text);
  if (!unit || (*unit == 1 && scale > 1)) return std::nullopt;
  const auto bytes = checked_multiply(whole, *unit);
  if (!bytes) return std::nullopt;
  __extension__ using Wide = unsigned __int128;
  const auto fraction = static_cast<uint64_t>((Wide{digits} * *unit + scale / 2) / scale);
  return bounded(checked_add(*bytes, fraction));
}

std::string human_size(uint64_t bytes) {
  static constexpr std::array<std::string_view, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  // 999.5 would be rounded to four digits.
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.3g} {}", value, units[unit]);
}

std::string exact_size(uint64_t bytes) { return fmt::format("{} ({} bytes)", human_size(bytes), bytes); }

std::string human_rate(double bytes_per_second) {
  if (!(bytes_per_second > 0)) return "-";
  return human_size(static_cast<uint64_t>(std::min(bytes_per_second, 9e18))) + "/s";
}

std::string human_duration(double seconds) {
  const auto total = static_cast<uint64_t>(std::ceil(std::clamp(seconds, 0.0, 3.6e7)));
  const uint64_t hours = total / 3600, minutes = total / 60 % 60, rest = total % 60;
  return hours ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest) : fmt::format("{}:{:02}", minutes, rest);
}

}  // namespace disklathe::cli
