// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace disklathe {
namespace {

std::unexpected<Error> bad_value(std::string_view name, std::string_view value, std::string_view wanted) {
  return failure(ErrorKind::invalid, "create", fmt::format("option {}: '{}' is not {}", name, value, wanted));
}

std::optional<uint64_t> unit_of(std::string_view suffix) {
  if (suffix.empty() || suffix == "B" || suffix == "b") return 1;
  if (suffix.size() != 1) return std::nullopt;
  const size_t power = std::string_view("kmgtpe").find(static_cast<char>(suffix[0] | 0x20));
  if (power == std::string_view::npos) return std::nullopt;
  return 1ull << (10 * (power + 1));
}

std::optional<uint64_t> parse_size(std::string_view text) {
  const size_t suffix_at = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = unit_of(text.substr(suffix_at));
  if (!unit || suffix_at == 0) return std::nullopt;
  const std::string_view digits = text.substr(0, suffix_at);
  uint64_t whole = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (error != std::errc{}) return std::nullopt;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(whole, *unit, &bytes)) return std::nullopt;
  if (rest == digits.data() + digits.size()) return bytes;
  double fraction = 0;
  const auto [end, fraction_error] = std::from_chars(rest, digits.data() + digits.size(), fraction);
  if (fraction_error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const double part = fraction * static_cast<double>(*unit);
  if (part != std::floor(part) && *unit == 1) return std::nullopt;
  if (__builtin_add_overflow(bytes, static_cast<uint64_t>(part), &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace

Result<void> OptionValues::only(std::span<const OptionInfo> known) const {
  for (const auto& [name, value] : options_) {
    if (std::ranges::find(known, name, &OptionInfo::name) == known.end())
      return failure(ErrorKind::invalid, "create", fmt::format("unknown option {}", name));
  }
  return {};
}

std::string OptionValues::text(std::string_view name) const {
  const auto found = options_.find(name);
  return found == options_.end() ? std::string() : found->second;
}

Result<bool> OptionValues::flag(std::string_view name, bool otherwise) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return otherwise;
  constexpr std::array<std::string_view, 4> yes{"on", "yes", "true", "y"}, no{"off", "no", "false", "n"};
  if (std::ranges::contains(yes, found->second)) return true;
  if (std::ranges::contains(no, found->second)) return false;
  return bad_value(name, found->second, "on or off");
}

Result<uint64_t> OptionValues::number(std::string_view name, uint64_t otherwise) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return otherwise;
  const std::string& text = found->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return bad_value(name, text, "a number");
  return value;
}

Result<uint64_t> OptionValues::size(std::string_view name, uint64_t otherwise) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return otherwise;
  const auto bytes = parse_size(found->second);
  if (!bytes) return bad_value(name, found->second, "a size in bytes (suffixes K, M, G, T, P, E)");
  return *bytes;
}

Result<Preallocation> OptionValues::preallocation(bool metadata_allowed) const {
  const std::string value = text("preallocation");
  if (value.empty() || value == "off") return Preallocation::off;
  if (value == "metadata" && metadata_allowed) return Preallocation::metadata;
  if (value == "falloc") return Preallocation::falloc;
  if (value == "full") return Preallocation::full;
  return bad_value("preallocation", value, metadata_allowed ? "off, metadata, falloc or full" : "off, falloc or full");
}

}  // namespace disklathe
