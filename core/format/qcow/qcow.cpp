// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow/qcow.h"

#include "core/format/qcow/reader.h"

namespace disklathe::qcow {

Format format() {
  return {.name = "qcow",
          .description = "QEMU copy-on-write, version 1",
          .extensions = {"qcow"},
          .probe = probe,
          .open = open};
}

}  // namespace disklathe::qcow
