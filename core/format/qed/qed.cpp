// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qed/qed.h"

#include "core/format/qed/reader.h"

namespace disklathe::qed {

Format format() {
  return {.name = "qed", .description = "QEMU enhanced disk", .extensions = {"qed"}, .probe = probe, .open = open};
}

}  // namespace disklathe::qed
