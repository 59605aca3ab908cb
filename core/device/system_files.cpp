// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/system_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace disklathe {
namespace {

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One code point of UTF-8 from the front of `text`, or nullopt where it is not well formed (RFC 3629).
std::optional<char32_t> take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return std::nullopt;
  char32_t code = length == 1 ? first : first & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return std::nullopt;
  text.remove_prefix(length);
  return code;
}

bool is_blank(char32_t c) {
  return c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x3000;
}

// Controls, direction marks and overrides, joiners, line separators, tags, private and unassigned specials.
bool is_unfit(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f || c == 0x1160 ||
         c == 0x180e || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
         c == 0x3164 || (c >= 0xe000 && c <= 0xf8ff) || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || c == 0xffa0 ||
         (c >= 0xfff0 && c <= 0xffff) || c >= 0xe0000;
}

int digit_of(char c, int base) {
  const int value = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : base;
  return value < base ? value : -1;
}

std::string unescape(std::string_view text, std::string_view lead, size_t digits, int base) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (text.starts_with(lead) && text.size() >= lead.size() + digits) {
      int value = 0;
      bool good = true;
      for (const char c : text.substr(lead.size(), digits)) {
        good = good && digit_of(c, base) >= 0;
        value = value * base + std::max(digit_of(c, base), 0);
      }
      if (good && value <= 0xff) {
        out += static_cast<char>(value);
        text.remove_prefix(lead.size() + digits);
        continue;
      }
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path, size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  ssize_t got = 0;
  while (text.size() < most) {
    got = read(fd, piece.data(), std::min(piece.size(), most - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<size_t>(got));
  }
  close(fd);
  if (got < 0 && text.empty()) return std::nullopt;
  return text;
}

std::optional<std::string> read_attribute(const std::string& path) {
  auto text = read_small_file(path, 4096);
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

std::optional<uint64_t> read_number(const std::string& path) {
  const auto text = read_attribute(path);
  return text ? parse_number(*text) : std::nullopt;
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error); !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names, counts_before);
  return names;
}

bool path_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string link_name(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length <= 0) return {};
  const std::string_view text(target.data(), static_cast<size_t>(length));
  return std::string(text.substr(text.rfind('/') + 1));
}

std::string real_path(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  std::string text = resolved ? resolved : "";
  std::free(resolved);
  return text;
}

std::optional<dev_t> parse_device_number(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto upper = parse_number(text.substr(0, colon)), lower = parse_number(text.substr(colon + 1));
  if (!upper || !lower || *upper > UINT32_MAX || *lower > UINT32_MAX) return std::nullopt;
  return makedev(static_cast<unsigned>(*upper), static_cast<unsigned>(*lower));
}

std::string device_number_text(dev_t number) {
  return std::to_string(major(number)) + ":" + std::to_string(minor(number));
}

std::string device_text(std::string_view raw) {
  std::string out;
  bool blank = false;
  while (!raw.empty()) {
    const std::string_view before = raw;
    const auto code = take_code_point(raw);
    if (!code) {
      raw.remove_prefix(1);
      continue;
    }
    if (is_blank(*code) || *code == '\t' || *code == '\n') {
      blank = true;
    } else if (!is_unfit(*code)) {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      out += before.substr(0, before.size() - raw.size());
    }
  }
  return out;
}

std::string unescape_hex(std::string_view text) { return unescape(text, "\\x", 2, 16); }
std::string unescape_octal(std::string_view text) { return unescape(text, "\\", 3, 8); }

bool counts_before(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      size_t i_end = i, j_end = j;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (j_end < b.size() && digit(b[j_end])) ++j_end;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.substr(i, i_end - i).compare(b.substr(j, j_end - j));
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace disklathe
