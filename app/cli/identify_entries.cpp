// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/limit_entries.h"

namespace disklathe::cli {

std::vector<LimitEntry> entries_of(const Identified& disk) {
  constexpr std::string_view bytes = "bytes", count = "count", yes_or_no = "yes/no";
  std::vector<LimitEntry> entries;
  const auto add = [&](std::string_view key, std::string_view title, std::string_view unit,
                       std::optional<uint64_t> value, std::string consequence) {
    entries.push_back({.key = key,
                       .title = title,
                       .unit = unit,
                       .value = value,
                       .source = name_of(disk.protocol),
                       .absent = "not reported",
                       .consequence = std::move(consequence)});
  };
  const auto number_of = [](std::optional<bool> flag) { return flag ? std::optional<uint64_t>(*flag) : std::nullopt; };
  add("disk-logical-block", "disk: logical block", bytes, disk.logical_block,
      "The unit of its commands, whatever a bridge in between makes of it.");
  add("disk-max-transfer", "disk: maximum transfer", bytes, disk.max_transfer,
      "It takes no longer command. The kernel keeps to that by itself; SG_IO has to.");
  add("disk-optimal-transfer", "disk: optimal transfer", bytes, disk.optimal_transfer,
      "The command it does best with; much longer ones may cost more.");
  add("disk-transfer-granularity", "disk: transfer granularity", bytes, disk.transfer_granularity,
      "Commands that are no multiple of this cost it more.");
  add("disk-boundary", "disk: boundary", bytes, disk.boundary, "A command across a multiple of this costs as two.");
  add("disk-max-write-zeroes", "disk: maximum write zeroes", bytes, disk.max_write_zeroes,
      "One command zeroes no more (WRITE SAME, Write Zeroes).");
  add("disk-unmap", "disk: unmap", yes_or_no, number_of(disk.unmaps),
      disk.unmaps.value_or(false) ? "It can be told which blocks are not needed any more."
                                  : "It cannot be told which blocks are not needed any more.");
  add("disk-max-unmap", "disk: maximum unmap", bytes, disk.max_unmap, "One command gives back no more.");
  add("disk-max-unmap-ranges", "disk: maximum unmap ranges", count, disk.max_unmap_ranges,
      "One command names no more ranges.");
  add("disk-unmap-granularity", "disk: unmap granularity", bytes, disk.unmap_granularity,
      "Smaller ranges, or off its multiples, may stay allocated.");
  add("disk-unmap-offset", "disk: unmap offset", bytes, disk.unmap_offset, "Those multiples are counted from here.");
  add("disk-unmapped-reads-zero", "disk: unmapped reads zero", yes_or_no, number_of(disk.unmapped_reads_zero),
      disk.unmapped_reads_zero.value_or(false) ? "What was unmapped reads as zeroes, it promises; nothing relies on it."
                                               : "What was unmapped may read as anything.");
  add("disk-thin", "disk: thin provisioned", yes_or_no, number_of(disk.thin),
      disk.thin.value_or(false) ? "It may have less room than it says: a write can fail for want of it."
                                : "There is room for all of its blocks.");
  add("disk-rotation-rate", "disk: rotation rate", "rpm", disk.rotation_rate,
      disk.rotation_rate == 0U ? "It does not rotate." : "Seeks are expensive where it rotates.");
  return entries;
}

}  // namespace disklathe::cli
