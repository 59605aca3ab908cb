// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_entries.h"

#include <cstring>

namespace disklathe {

uint64_t leading_empty(Bytes entries, uint64_t entry_size) {
  const auto word = [&](size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, entries.data() + at, sizeof value);
    return value;
  };
  size_t at = 0;
  while (at + 64 <= entries.size() && !(word(at) | word(at + 8) | word(at + 16) | word(at + 24) | word(at + 32) |
                                        word(at + 40) | word(at + 48) | word(at + 56))) {
    at += 64;
  }
  while (at + 8 <= entries.size() && !word(at)) at += 8;
  return at / entry_size;
}

}  // namespace disklathe
