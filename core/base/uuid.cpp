// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/uuid.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <utility>

namespace disklathe {

Uuid random_uuid() {
  Uuid uuid{};
  // So few bytes come at once or, before the kernel has any, not at all: then it waits.
  while (getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) continue;
  uuid[6] = (uuid[6] & std::byte{0x0f}) | std::byte{0x40};
  uuid[8] = (uuid[8] & std::byte{0x3f}) | std::byte{0x80};
  return uuid;
}

Uuid little_endian_uuid(const Uuid& uuid) {
  Uuid swapped = uuid;
  std::swap(swapped[0], swapped[3]);
  std::swap(swapped[1], swapped[2]);
  std::swap(swapped[4], swapped[5]);
  std::swap(swapped[6], swapped[7]);
  return swapped;
}

Uuid load_uuid(Bytes from, size_t at) {
  Uuid uuid;
  std::ranges::copy(from.subspan(at, uuid.size()), uuid.begin());
  return uuid;
}

void store_uuid(MutableBytes to, size_t at, const Uuid& uuid) { std::ranges::copy(uuid, to.subspan(at).begin()); }

std::string text_of_uuid(const Uuid& uuid) {
  std::string text;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(uuid[i]));
  }
  return text;
}

}  // namespace disklathe
