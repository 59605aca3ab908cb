// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/raw.h"

#include "core/format/raw/reader.h"

namespace disklathe::raw {

Format format() {
  // No probe: raw is what is left when nothing else claims the file.
  return {
      .name = "raw", .description = "The bytes of the disk as they are", .extensions = {"img", "raw"}, .open = open};
}

}  // namespace disklathe::raw
