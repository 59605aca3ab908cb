// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vdi/vdi.h"

#include "core/format/vdi/check.h"
#include "core/format/vdi/reader.h"
#include "core/format/vdi/writer.h"

namespace disklathe::vdi {

Format format() {
  return {.name = "vdi",
          .description = "VirtualBox disk image",
          .extensions = {"vdi"},
          .probe = probe,
          .open = open,
          .create = create,
          .check = check,
          .options = create_options()};
}

}  // namespace disklathe::vdi
