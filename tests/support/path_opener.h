// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/device/file_device.h"
#include "core/format/layers.h"

namespace disklathe::test {

// Opens files by their paths, also those that an image names.
inline FileOpener path_opener() {
  return {.open = [](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
            return FileDevice::open({.path = path});
          },
          .allow = [](const std::string&, const Reference&, const std::string&) -> Result<void> { return {}; }};
}

}  // namespace disklathe::test
