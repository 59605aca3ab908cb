// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/identify.h"
#include "core/device/limit_report.h"
#include "core/device/request_shape.h"

namespace disklathe::cli {

// One limit for a person: what it is, what the device says, who said it, and what follows from it.
struct LimitEntry {
  std::string_view key;    // for JSON: "max-transfer"
  std::string_view title;  // "maximum transfer"
  std::string_view unit;   // "bytes", "count", "yes/no", "rpm"
  std::optional<uint64_t> value;
  std::string_view source;       // "sysfs", "scsi"; "none": nobody was asked
  std::string_view absent;       // said instead of a value that is not there
  std::optional<uint64_t> used;  // what is worked with, where that is not what the device says
  std::string consequence;       // one sentence
};
std::vector<LimitEntry> entries_of(const LimitReport& report);
// What the disk says of itself; the kernel's view of the same may differ.
std::vector<LimitEntry> entries_of(const Identified& disk);

std::string sentence(const LimitFinding& finding);

// The answer to --request in lines. Of a file: as if it lay in one piece from the start of its device.
std::string words_of(const RequestShape& shape, Range request, bool is_device);

}  // namespace disklathe::cli
