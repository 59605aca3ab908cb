// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/enumerate.h"
#include "core/device/limits.h"

namespace disklathe {

// What does not fit together in what a device says, or between it and what is on it.
enum class FindingKind : uint8_t {
  absurd_logical_block,     // value: reported, other: used instead
  absurd_physical_block,    // the same
  absurd_minimum_io,        // the same
  absurd_optimal_io,        // the same: not a multiple of the physical block, or larger than any device means
  transfer_above_hardware,  // value: max transfer, other: max hardware transfer
  misaligned_device,        // value: bytes to the first physical block
  misaligned_partition,     // subject: its name, value: its start, other: the physical block
  partition_off_optimal,    // subject: its name, value: its start, other: the optimal size
  table_for_512,            // the GPT on it was made for 512-byte sectors; value: the device's own
  table_for_4096,           // the GPT on it was made for 4096-byte sectors; value: the device's own
};
std::string_view name_of(FindingKind kind);

struct LimitFinding {
  FindingKind kind;
  std::string subject;
  uint64_t value = 0, other = 0;
};

struct LimitReport {
  bool is_device = false;  // else a file: the limits are those of the device under its file system
  bool opened = false;     // false: only what sysfs shows to everybody
  uint64_t size = 0;       // bytes
  uint64_t start = 0;      // bytes, where a partition begins on its disk
  Limits reported, used;
  std::optional<DirectAlignment> direct;  // nullopt: no direct I/O, or not opened
  std::vector<LimitFinding> findings;
};

// Reads and judges the limits of a device, a partition or a file. Without the right to open a device: what sysfs shows.
// Errors: not_found, permission (a file), invalid (neither device nor file).
Result<LimitReport> report_limits(const std::string& path);

// The judgement by itself.
std::vector<LimitFinding> judge_limits(const Limits& reported, const Limits& used,
                                       const std::vector<Partition>& partitions);

}  // namespace disklathe
