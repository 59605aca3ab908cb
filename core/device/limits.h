// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace disklathe {

// Who said it. `assumed`: nobody did, and this is the safe value the program works with.
enum class LimitSource : uint8_t { none, statx, ioctl, sysfs, probe, assumed };
std::string_view name_of(LimitSource source);

// One limit in bytes (or a count, where its name says so). "Not reported" is nullopt, never 0: no value with a source
// is a device that was asked and named none (no optimal size, no such command).
struct Limit {
  std::optional<uint64_t> value;
  LimitSource source = LimitSource::none;
};

// What a file or device asks of requests: read once when it is opened, immutable after. The program works with the
// four plain numbers; the rest inform policy and the person.
struct Limits {
  // Memory of a direct request must start on a multiple of min_mem_align (below it: copied through a bounce buffer);
  // buffers are allocated at opt_mem_align = max(min, page size), which is measurably faster (docs/adr).
  uint32_t min_mem_align = 1;
  uint32_t opt_mem_align = 4096;
  // Direct requests start and end on multiples of this (1: the descriptor is buffered, anything goes).
  uint32_t offset_align = 1;
  LimitSource alignment_source = LimitSource::none;  // of min_mem_align and offset_align
  // Writes smaller than this, or off its multiples, cost a read-modify-write somewhere below.
  uint32_t physical_block = 512;
  LimitSource physical_source = LimitSource::none;

  Limit logical_block, minimum_io, optimal_io;
  Limit max_transfer;                   // max_sectors_kb: the kernel splits at it; never caps our requests
  Limit max_hw_transfer, max_segments;  // bind only passthrough (SG_IO)
  Limit max_segment_size, dma_alignment;
  Limit discard_granularity, max_discard;
  Limit max_write_zeroes, max_write_zeroes_unmap;
  Limit zone_size;
  Limit chunk;             // the kernel splits at its multiples: a zone, a stripe
  Limit virtual_boundary;  // segments must end and begin on its multiples, inside a request
  Limit queue_depth;       // requests that the kernel keeps for the device
  Limit alignment_offset;  // where the first physical block begins; none: at the start
  std::optional<bool> rotational;
  // Whether the kernel cuts requests to the limits before the driver sees them. False: the driver takes them as they
  // come (zram, device mapper, md) and cuts by rules of its own.
  std::optional<bool> kernel_splits;
};

// What direct I/O asks of memory addresses and of offsets, in bytes.
struct DirectAlignment {
  uint32_t memory = 4096;
  uint32_t offset = 4096;
  LimitSource source = LimitSource::assumed;
};
// Nothing: the file system says that it has no direct I/O for this file.
std::optional<DirectAlignment> direct_alignment(int fd);

// Reads the limits of an open block device, or of an open file: then those of the device under it that also shape the
// file's requests, where the kernel names that device. The alignments are those of buffered I/O.
Limits read_limits(int fd);

// What the device says of itself, as it says it: for people. The second asks sysfs only, for who may not open it.
Limits reported_limits(int fd);
Limits reported_limits_of(dev_t device);

// Makes the limits that are worked with of those that are reported: replaces what no device can mean.
void replace_absurd(Limits& limits);

}  // namespace disklathe
