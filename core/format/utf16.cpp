// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/utf16.h"

#include <algorithm>
#include <cstdint>

#include "core/base/endian.h"

namespace disklathe {
namespace {

constexpr char32_t replacement = 0xfffd;

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

std::string utf8_of_utf16(Bytes text, std::endian order) {
  const auto unit = [&](size_t at) -> char32_t {
    return order == std::endian::big ? load_be<uint16_t>(text, at) : load_le<uint16_t>(text, at);
  };
  std::string out;
  for (size_t at = 0; at + 2 <= text.size(); at += 2) {
    const char32_t first = unit(at);
    if (first == 0) break;
    if (first < 0xd800 || first > 0xdfff) {
      append_utf8(out, first);
      continue;
    }
    const char32_t second = first < 0xdc00 && at + 4 <= text.size() ? unit(at + 2) : 0;
    if (second < 0xdc00 || second > 0xdfff) {
      append_utf8(out, replacement);
      continue;
    }
    append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    at += 2;
  }
  return out;
}

std::string path_of_windows_path(std::string path) {
  const bool elsewhere = path.starts_with("\\") || (path.size() > 1 && path[1] == ':');
  if (!elsewhere) std::ranges::replace(path, '\\', '/');
  return path;
}

}  // namespace disklathe
