// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/head.h"

#include <algorithm>
#include <charconv>

namespace disklathe::http {
namespace {

constexpr size_t longest_value = 1024;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Digits and nothing else.
std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is sent back to the server goes in one line.
std::string plain(std::string_view value) {
  const bool safe = value.size() <= longest_value && std::ranges::all_of(value, [](char c) {
                      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
                    });
  return safe ? std::string(value) : std::string();
}

}  // namespace

std::optional<PartOf> parse_content_range(std::string_view value) {
  constexpr std::string_view unit = "bytes ";
  if (value.size() < unit.size() || !same_word(value.substr(0, unit.size()), unit)) return std::nullopt;
  value = trimmed(value.substr(unit.size()));
  const size_t slash = value.find('/'), dash = value.find('-');
  if (slash == std::string_view::npos) return std::nullopt;
  PartOf part;
  if (const std::string_view total = value.substr(slash + 1); total != "*") {
    part.total = number(total);
    if (!part.total) return std::nullopt;
  }
  if (value.substr(0, slash) == "*") return part.total ? std::optional(part) : std::nullopt;
  if (dash == std::string_view::npos || dash > slash) return std::nullopt;
  const auto first = number(value.substr(0, dash)), last = number(value.substr(dash + 1, slash - dash - 1));
  if (!first || !last || *last < *first || *last == UINT64_MAX || (part.total && *last >= *part.total))
    return std::nullopt;
  part.range = {*first, *last - *first + 1};
  return part;
}

void Head::take(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("HTTP/")) {
    *this = {};
    if (const size_t space = line.find(' '); space != std::string_view::npos)
      status = static_cast<unsigned>(number(line.substr(space + 1, 3)).value_or(0));
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (same_word(name, "Content-Length")) length = number(value);
  if (same_word(name, "Content-Encoding")) encoded = !value.empty() && !same_word(value, "identity");
  if (same_word(name, "ETag")) validator.etag = plain(value);
  if (same_word(name, "Last-Modified")) validator.modified = plain(value);
  if (same_word(name, "Content-Range")) {
    has_range = true;
    part = parse_content_range(value);
  }
}

bool is_url(std::string_view text) {
  const auto begins = [&](std::string_view scheme) {
    return text.size() > scheme.size() && same_word(text.substr(0, scheme.size()), scheme);
  };
  return begins("http://") || begins("https://");
}

std::string shown(std::string_view url) {
  const size_t start = url.find("//") + 2;
  const size_t at = url.substr(0, url.find_first_of("/?#", start)).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  return std::string(url.substr(0, start)) + "***" + std::string(url.substr(at));
}

}  // namespace disklathe::http
