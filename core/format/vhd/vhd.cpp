// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/vhd.h"

#include "core/format/vhd/options.h"
#include "core/format/vhd/reader.h"
#include "core/format/vhd/writer.h"

namespace disklathe::vhd {

Format format() {
  return {.name = "vpc",
          .description = "VHD, of Virtual PC and Hyper-V",
          .extensions = {"vhd", "avhd", "vpc"},
          .probe = probe,
          .open = open,
          .create = create,
          .options = create_options()};
}

}  // namespace disklathe::vhd
