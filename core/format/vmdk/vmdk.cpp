// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/vmdk.h"

#include "core/format/vmdk/check.h"
#include "core/format/vmdk/options.h"
#include "core/format/vmdk/reader.h"
#include "core/format/vmdk/writer.h"

namespace disklathe::vmdk {

Format format() {
  return {.name = "vmdk",
          .description = "VMware virtual disk",
          .extensions = {"vmdk"},
          .probe = probe,
          .open = open,
          .create = create,
          .check = check,
          .options = create_options()};
}

}  // namespace disklathe::vmdk
