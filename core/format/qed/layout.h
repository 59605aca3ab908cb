// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/device/block_device.h"

// QEMU's enhanced disk: a header of whole clusters, then L1 table, L2 tables and data in whole clusters. Source: QEMU's
// docs/interop/qed_spec. All numbers are little-endian.
namespace disklathe::qed {

inline constexpr uint32_t magic = 0x00444551;  // "QED\0"
inline constexpr uint64_t sector_size = 512;
inline constexpr uint32_t min_cluster_size = 4 << 10, max_cluster_size = 64 << 20;
inline constexpr uint32_t max_table_size = 16;  // clusters

// The fields, by their offsets in the file.
struct Field {
  static constexpr uint64_t magic = 0, cluster_size = 4, table_size = 8, header_size = 12, features = 16,
                            compat_features = 24, autoclear_features = 32, l1_table_offset = 40, image_size = 48,
                            backing_filename_offset = 56, backing_filename_size = 60, end = 64;
};

// Bits of `features`: who does not know one may not open the image. Those of the other two say nothing that matters for
// reading, and none is defined.
inline constexpr uint64_t feature_backing_file = 1, feature_need_check = 2, feature_backing_format_no_probe = 4;
inline constexpr uint64_t features_known = feature_backing_file | feature_need_check | feature_backing_format_no_probe;

inline constexpr uint64_t entry_zero = 1;  // of an L2 table: the cluster reads as zeroes

struct Header {
  uint32_t cluster_size = 64 << 10;  // bytes
  uint32_t table_size = 4;           // clusters, of the L1 table and each L2 table
  uint32_t header_size = 1;          // clusters
  uint64_t features = 0;
  uint64_t l1_table_offset = 0;
  uint64_t image_size = 0;  // of the guest's disk, bytes
  std::string backing_file;

  uint64_t table_bytes() const { return uint64_t{table_size} * cluster_size; }
  uint64_t header_bytes() const { return uint64_t{header_size} * cluster_size; }
};

// Afterwards the L1 table lies inside the file and has an entry for all of the disk.
Result<Header> read_header(BlockDevice& file);

}  // namespace disklathe::qed
