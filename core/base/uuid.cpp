// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/uuid.h"

#include <sys/random.h>

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

}  // namespace disklathe
