// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/parallels/parallels.h"

#include "core/format/parallels/reader.h"

namespace disklathe::parallels {

Format format() {
  return {.name = "parallels",
          .description = "Parallels expanding disk",
          .extensions = {"hdd", "hds", "parallels"},
          .probe = probe,
          .open = open};
}

}  // namespace disklathe::parallels
