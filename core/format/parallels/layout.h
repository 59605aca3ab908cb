// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "core/device/block_device.h"

// The disks of Parallels and Virtuozzo (.hdd, .hds): a header, the block allocation table behind it, and clusters in
// the order they were first written. Source: QEMU's docs/interop/parallels. All numbers are little-endian.
namespace disklathe::parallels {

// Of the old kind, whose table counts in sectors, and of the larger one, whose table counts in clusters.
inline constexpr std::string_view magic_sectors = "WithoutFreeSpace", magic_clusters = "WithouFreSpacExt";
inline constexpr uint32_t version = 2;
inline constexpr uint64_t sector_size = 512;
inline constexpr uint64_t bat_entry_size = 4;
inline constexpr uint32_t max_cluster_sectors = INT32_MAX / 513, max_bat_entries = INT32_MAX / 4;  // QEMU's limits

// The fields, by their offsets in the file. The table begins where they end.
struct Field {
  static constexpr uint64_t magic = 0, version = 16, heads = 20, cylinders = 24, cluster_sectors = 28, bat_entries = 32,
                            sectors = 36, in_use = 44, data_offset = 48, flags = 52, extension_offset = 56, end = 64;
};

// What in_use holds. 0: closed by a program that did not know the field.
inline constexpr uint32_t in_use_open = 0x746f6e59, in_use_closed = 0x312e3276;
inline constexpr uint32_t flag_empty = 1;

struct Header {
  uint32_t cluster_sectors = 2048;
  uint32_t bat_entries = 0;
  uint64_t sectors = 0;        // of the guest's disk
  uint64_t entry_sectors = 1;  // what an entry of the table counts
  bool closed = true;          // by the last program that wrote to it
  uint32_t flags = 0;

  uint64_t size() const { return sectors * sector_size; }
  uint64_t cluster_size() const { return cluster_sectors * sector_size; }
  uint64_t bat_end() const { return Field::end + bat_entries * bat_entry_size; }
};

// Afterwards the table lies inside the file and has an entry for all of the disk.
Result<Header> read_header(BlockDevice& file);

}  // namespace disklathe::parallels
