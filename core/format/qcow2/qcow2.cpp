// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/qcow2.h"

#include "core/format/qcow2/check.h"
#include "core/format/qcow2/editor.h"
#include "core/format/qcow2/measure.h"
#include "core/format/qcow2/options.h"
#include "core/format/qcow2/reader.h"
#include "core/format/qcow2/writer.h"

namespace disklathe::qcow2 {

Format format() {
  return {.name = "qcow2",
          .description = "QEMU copy-on-write, versions 2 and 3",
          .extensions = {"qcow2"},
          .probe = probe,
          .open = open,
          .create = create,
          .edit = edit,
          .measure = measure,
          .check = check,
          .options = create_options()};
}

}  // namespace disklathe::qcow2
