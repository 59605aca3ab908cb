// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/usage.h"

namespace disklathe::cli {

// The table of `disklathe devices`: a heading and one line a device, partitions under their disk. `glyphs`: the tree in
// box-drawing characters, else in ASCII.
std::string device_table(const std::vector<Disk>& disks, const UsageMap& usage, bool glyphs);

nlohmann::ordered_json json_of(const Disk& disk, const UsageMap& usage);
nlohmann::ordered_json json_of(const Usage& usage);

// A disk that nobody has set up: loop devices without a file, RAM disks, network devices without a server.
bool is_idle_kernel_device(const Disk& disk, const UsageMap& usage);

}  // namespace disklathe::cli
