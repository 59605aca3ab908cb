// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/stream/decoder.h"

namespace disklathe::stream {

std::span<const Encoding> encodings() {
  static const Encoding table[] = {bz2(), gz(), xz(), zst()};
  return table;
}

const Encoding* find_encoding(std::string_view name) {
  const auto found = std::ranges::find(encodings(), name, &Encoding::name);
  return found == encodings().end() ? nullptr : &*found;
}

const Encoding* detect_encoding(Bytes head) {
  const auto found = std::ranges::find_if(encodings(), [&](const Encoding& one) { return one.begins(head); });
  return found == encodings().end() ? nullptr : &*found;
}

}  // namespace disklathe::stream
