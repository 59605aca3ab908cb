// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/usage.h"

namespace disklathe::cli {

// What a hold is, in words that complete "it is": "mounted on /home", "opened as the LUKS mapping luks-1".
std::string words_of(const Hold& hold);

// The command that ends a hold; empty where none does while the system runs.
std::string release_command(const Hold& hold);

// "Samsung SSD 870 EVO 2TB, gpt" for a disk, "ext4 'my data'" for a partition; for a loop device the file behind it.
std::string words_of(const Disk& disk);
std::string words_of(const Content& content);

// "system", "mounted on /home", "read-only", ... with commas between; empty: a free device.
// What holds a disk's partitions is told on their lines; the disk's says "system" or "in use".
std::string state_words(const BlockNode& node, const Usage& usage);
std::string state_words(const Disk& disk, const Usage& usage);

// What must be done before it is free, one command after the other: "umount /data && cryptsetup close luks-1".
// Empty where that is not possible or there is nothing to do.
std::string release_commands(const Usage& usage);

// "31.9 GB", "2000 GB": powers of 1000, as printed on the device.
std::string gigabytes(uint64_t bytes);

}  // namespace disklathe::cli
