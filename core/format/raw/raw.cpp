// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/raw.h"

#include "core/format/raw/reader.h"
#include "core/format/raw/writer.h"

namespace disklathe::raw {

Format format() {
  // No probe: raw is what is left when nothing else claims the file.
  return {.name = "raw",
          .description = "The bytes of the disk as they are",
          .extensions = {"img", "raw"},
          .open = open,
          .create = create,
          .measure = measure,
          .options = create_options(),
          .grows = true};
}

}  // namespace disklathe::raw
