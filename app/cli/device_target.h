// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/target_guard.h"

namespace disklathe::cli {

// core/device/target_guard with its denials in words. The way of every verb that writes to a block device is
// choose_target_device(), then the checks of its own, then confirm_erase() (erase_consent.h), then
// open_target_device(): until that has succeeded not a byte is written.

Error error_of(const Denial& denial, const std::string& path);

// Errors: busy (in use, or the system's: says by what and how to free it), permission (read-only), ...
Result<ChosenDevice> choose_target_device(const std::string& path);

// Of the checks before consent: an error of kind `unsupported` when the range, in bytes of the device, reaches a zone
// that can only be written from its start on.
Result<void> takes_any_order(const ChosenDevice& chosen, Range range);

// Errors: those of choosing, and refused when it is no longer the device that was chosen.
Result<std::unique_ptr<FileDevice>> open_target_device(const ChosenDevice& chosen, CacheMode cache);

}  // namespace disklathe::cli
