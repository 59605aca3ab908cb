// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/format/layers.h"
#include "tests/support/wrapped_device.h"

namespace disklathe::test {

// Opens a device that stays the test's own as an image without a backing chain.
inline Result<std::unique_ptr<Image>> open_image(BlockDevice& device, std::string format, bool file_holes = false) {
  FileOpener opener;
  opener.open = [&device](const std::string&) -> Result<std::unique_ptr<BlockDevice>> {
    return std::make_unique<WrappedDevice>(device);
  };
  opener.allow = [](const std::string&, const Reference&, const std::string&) -> Result<void> {
    return failure(ErrorKind::refused, "open", "a test's image stands alone");
  };
  return Image::open({.path = "memory", .format = std::move(format), .file_holes = file_holes}, opener);
}

}  // namespace disklathe::test
