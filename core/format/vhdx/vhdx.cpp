// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/vhdx.h"

#include "core/format/vhdx/check.h"
#include "core/format/vhdx/options.h"
#include "core/format/vhdx/reader.h"
#include "core/format/vhdx/writer.h"

namespace disklathe::vhdx {

Format format() {
  return {.name = "vhdx",
          .description = "VHDX, of Hyper-V",
          .extensions = {"vhdx", "avhdx"},
          .probe = probe,
          .open = open,
          .create = create,
          .check = check,
          .options = create_options()};
}

}  // namespace disklathe::vhdx
