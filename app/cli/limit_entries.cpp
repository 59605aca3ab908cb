// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/limit_entries.h"

#include <fmt/format.h>

#include <unistd.h>

#include "app/cli/size_text.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view bytes = "bytes", count = "count", yes_or_no = "yes/no";
constexpr std::string_view not_reported = "not reported", not_offered = "not offered", not_known = "not known";

LimitEntry entry(std::string_view key, std::string_view title, std::string_view unit, const Limit& limit,
                 std::string consequence, std::string_view absent = not_reported) {
  return {.key = key,
          .title = title,
          .unit = unit,
          .value = limit.value,
          .source = name_of(limit.source),
          .absent = absent,
          .consequence = std::move(consequence)};
}

Limit given(uint64_t value, LimitSource source) { return {.value = value, .source = source}; }

void add_alignments(const LimitReport& report, std::vector<LimitEntry>& entries) {
  const bool direct = report.direct.has_value();
  const std::string_view absent = report.opened ? "no direct I/O" : not_known;
  const Limit memory = direct ? given(report.direct->memory, report.direct->source) : Limit{};
  const Limit offset = direct ? given(report.direct->offset, report.direct->source) : Limit{};
  entries.push_back(entry("min-memory-alignment", "least memory alignment", bytes, memory,
                          direct
                              ? "Direct I/O takes buffers that start on multiples of this; any other is copied first."
                              : "Requests go through the page cache, which takes any buffer.",
                          absent));
  entries.push_back(entry(
      "opt-memory-alignment", "best memory alignment", bytes,
      given(std::max<uint64_t>(direct ? report.direct->memory : 1, report.used.opt_mem_align), LimitSource::assumed),
      "Buffers are allocated at it (the page size): measurably faster than at the least."));
  entries.push_back(
      entry("offset-alignment", "offset alignment", bytes, offset,
            direct ? "Direct requests start and end on multiples of this; other ends go through the page cache."
                   : "Requests may start and end anywhere.",
            absent));
}

void add_blocks(const LimitReport& report, std::vector<LimitEntry>& entries) {
  const Limits& said = report.reported;
  const auto with_used = [&](LimitEntry made, std::optional<uint64_t> used) {
    if (made.value != used) made.used = used;
    entries.push_back(std::move(made));
  };
  with_used(entry("logical-block", "logical block", bytes, said.logical_block,
                  "The unit of addresses: nothing smaller is read or written, and partition tables count in it."),
            report.used.logical_block.value);
  with_used(entry("physical-block", "physical block", bytes, given(said.physical_block, said.physical_source),
                  "A write that covers only part of such a block makes the device read it first."),
            report.used.physical_block);
  with_used(entry("minimum-io", "minimum I/O", bytes, said.minimum_io,
                  "The smallest request without a penalty (on a RAID: one strip)."),
            report.used.minimum_io.value);
  with_used(entry("optimal-io", "optimal I/O", bytes, said.optimal_io,
                  said.optimal_io.value ? "Requests are made multiples of this (on a RAID: one stripe)."
                                        : "Requests start near 1 MiB and are tuned on the copy itself."),
            report.used.optimal_io.value);
  entries.push_back(entry("alignment-offset", "alignment offset", bytes, said.alignment_offset,
                          said.alignment_offset.value
                              ? "Physical blocks begin there, not at byte 0: partitions must too."
                              : "Physical blocks begin at byte 0.",
                          "none"));
}

void add_transfers(const LimitReport& report, std::vector<LimitEntry>& entries) {
  const Limits& said = report.reported;
  const bool splits = said.kernel_splits.value_or(true);
  entries.push_back(
      entry("max-transfer", "maximum transfer", bytes, said.max_transfer,
            splits ? "The kernel cuts longer requests into commands of this; it is no reason to ask for less."
                   : "This driver takes requests whole: the kernel cuts nothing at this number."));
  entries.push_back(entry("max-hardware-transfer", "maximum hardware transfer", bytes, said.max_hw_transfer,
                          "Binds only commands that are sent past the block layer (SG_IO)."));
  const auto segments = said.max_segments.value;
  entries.push_back(
      entry("max-segments", "maximum segments", count, said.max_segments,
            segments ? fmt::format("A command gathers at most so many pieces of memory: {} when each page lies apart.",
                                   human_size(*segments * 4096))
                     : "Commands may gather any number of pieces of memory."));
  entries.push_back(entry("max-segment-size", "maximum segment size", bytes, said.max_segment_size,
                          "A longer piece of memory counts as several segments."));
  entries.push_back(entry("virtual-boundary", "segment boundary", bytes, said.virtual_boundary,
                          said.virtual_boundary.value
                              ? "Buffers that begin or end off its multiples inside a request split it."
                              : "Buffers of one request may have gaps between them.",
                          "none"));
  entries.push_back(entry("dma-alignment", "DMA alignment", bytes, said.dma_alignment,
                          "What the controller's memory access needs; the least memory alignment follows from it."));
  entries.push_back(entry("queue-depth", "queue depth", count, said.queue_depth,
                          said.queue_depth.value
                              ? "The kernel holds so many requests for the device; more wait in the program."
                              : "The driver works on requests at once, without a queue.",
                          "none"));
  if (said.zone_size.value) {
    entries.push_back(entry("zone-size", "zone size", bytes, said.zone_size,
                            "A zoned device: sequential zones are written only from their start on."));
  } else {
    entries.push_back(
        entry("chunk", "chunk", bytes, said.chunk,
              said.chunk.value ? "The kernel cuts requests at its multiples." : "Requests may lie anywhere.", "none"));
  }
}

void add_commands(const LimitReport& report, std::vector<LimitEntry>& entries) {
  const Limits& said = report.reported;
  if (report.is_device) {
    const bool discards = said.max_discard.value.has_value(), zeroes = said.max_write_zeroes.value.has_value();
    entries.push_back(
        entry("discard-granularity", "discard granularity", bytes, said.discard_granularity,
              discards ? "Smaller ranges, or off its multiples, are not deallocated." : "Nothing can be discarded.",
              discards ? not_reported : not_offered));
    entries.push_back(entry("max-discard", "maximum discard", bytes, said.max_discard,
                            discards ? "Discarding tells the device that data may go; it never promises zeroes."
                                     : "The device takes no discard.",
                            not_offered));
    entries.push_back(entry("max-write-zeroes", "maximum write zeroes", bytes, said.max_write_zeroes,
                            zeroes ? "The device zeroes by itself; how fast is measured before it is relied on."
                                   : "Zeroes are written like data.",
                            not_offered));
    entries.push_back(entry(
        "max-write-zeroes-unmap", "maximum write zeroes with unmap", bytes, said.max_write_zeroes_unmap,
        said.max_write_zeroes_unmap.value ? "Zeroing may deallocate as well, which is fast on flash and thin volumes."
                                          : "Zeroing does not deallocate.",
        not_offered));
  }
  Limit rotational{.source = said.rotational ? LimitSource::sysfs : LimitSource::none};
  if (said.rotational) rotational.value = *said.rotational ? 1 : 0;
  entries.push_back(entry("rotational", "rotational", yes_or_no, rotational,
                          said.rotational.value_or(false) ? "Seeks are expensive: few requests at once, in order."
                                                          : "Many requests at once pay.",
                          not_known));
}

std::string many(const RequestShape::Commands& commands) {
  return commands.count == 1 ? "1 command" : fmt::format("{} commands", commands.count);
}

std::string_view words_of(SplitCause cause) {
  switch (cause) {
    case SplitCause::transfer: return "the maximum transfer";
    case SplitCause::segments: return "the maximum segments";
    case SplitCause::chunk: return "a chunk or zone boundary";
    case SplitCause::vectors: return "256 pages, which is all one bio holds";
  }
  return {};
}

std::string lines_of(std::string_view memory, const RequestShape::Commands& commands) {
  std::string lines = fmt::format("  {}: {}\n", memory, many(commands));
  for (const auto& split : commands.splits)
    lines += fmt::format("    split at byte {}: {}\n", split.at, words_of(split.cause));
  if (commands.count > commands.splits.size() + 1)
    lines += fmt::format("    and {} splits more\n", commands.count - 1 - commands.splits.size());
  return lines;
}

}  // namespace

std::vector<LimitEntry> entries_of(const LimitReport& report) {
  std::vector<LimitEntry> entries;
  add_alignments(report, entries);
  add_blocks(report, entries);
  add_transfers(report, entries);
  add_commands(report, entries);
  return entries;
}

std::string sentence(const LimitFinding& finding) {
  const auto absurd = [&](std::string_view what) {
    return fmt::format("The device reports {} of {} bytes, which no device can mean; {} is used.", what, finding.value,
                       finding.other);
  };
  switch (finding.kind) {
    case FindingKind::absurd_logical_block: return absurd("a logical block");
    case FindingKind::absurd_physical_block: return absurd("a physical block");
    case FindingKind::absurd_minimum_io: return absurd("a minimum I/O size");
    case FindingKind::absurd_optimal_io: return absurd("an optimal I/O size");
    case FindingKind::transfer_above_hardware:
      return fmt::format("The maximum transfer ({} bytes) is above what the hardware takes ({} bytes).", finding.value,
                         finding.other);
    case FindingKind::misaligned_device:
      return fmt::format("The first physical block begins at byte {}: what is aligned to byte 0 straddles two blocks.",
                         finding.value);
    case FindingKind::misaligned_partition:
      return fmt::format(
          "Partition {} begins at byte {}, inside a physical block of {} bytes: each write at its blocks' ends costs a "
          "read first.",
          finding.subject, finding.value, finding.other);
    case FindingKind::partition_off_optimal:
      return fmt::format("Partition {} begins at byte {}, which is no multiple of the optimal I/O size of {} bytes.",
                         finding.subject, finding.value, finding.other);
    case FindingKind::table_for_512:
      return fmt::format(
          "The GPT on it was made for 512-byte sectors; this device has {}-byte sectors, so nothing finds its "
          "partitions.",
          finding.value);
    case FindingKind::table_for_4096:
      return fmt::format(
          "The GPT on it was made for 4096-byte sectors; this device has {}-byte sectors, so nothing finds its "
          "partitions.",
          finding.value);
  }
  return {};
}

std::string words_of(const RequestShape& shape, Range request, bool is_device) {
  std::string text = fmt::format("A direct request of {} bytes at byte {} becomes{}\n", request.length, request.at,
                                 is_device ? "" : " (if the file lies in one piece from a block's start)");
  text += lines_of("in memory that lies in one piece", shape.contiguous);
  text += lines_of("in memory with each page apart", shape.scattered);
  if (shape.read_modify_write.empty()) {
    text += "  written: no physical block in part, nothing to read first\n";
  }
  for (const Range& block : shape.read_modify_write) {
    text += fmt::format("  written: the physical block at bytes {} to {} only in part, so the device reads it first\n",
                        block.at, block.end() - 1);
  }
  return text;
}

}  // namespace disklathe::cli
