// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/device/block_device.h"

// The first version of QEMU's own format: a header, an L1 table somewhere, L2 tables and clusters in the order they
// were first written. Nothing specifies it; source: QEMU's block/qcow.c. All numbers are big-endian.
namespace disklathe::qcow {

inline constexpr uint32_t magic = 0x514649fb;  // "QFI" 0xfb, as in qcow2
inline constexpr uint32_t version = 1;
inline constexpr uint64_t sector_size = 512;
inline constexpr uint32_t min_cluster_bits = 9, max_cluster_bits = 16;
inline constexpr uint32_t min_l2_bits = 6, max_l2_bits = 13;
inline constexpr uint64_t max_l1_entries =
    INT32_MAX / 8;  // QEMU's limit. A file may be sparse: they cost nothing to make

// The fields, by their offsets in the file.
struct Field {
  static constexpr uint64_t magic = 0, version = 4, backing_file_offset = 8, backing_file_size = 16, mtime = 20,
                            size = 24, cluster_bits = 32, l2_bits = 33, crypt_method = 36, l1_table_offset = 40,
                            end = 48;
};

enum class CryptMethod : uint32_t { none = 0, aes = 1 };

// The highest bit of an L2 entry. Below it are cluster_bits of length in bytes and the offset, which need not be a
// multiple of anything. Without it the entry is the offset of a plain cluster.
inline constexpr uint64_t entry_compressed = uint64_t{1} << 63;

struct Header {
  uint64_t disk_size = 0;  // bytes, as the image says
  uint32_t cluster_bits = 12;
  uint32_t l2_bits = 9;
  CryptMethod crypt_method = CryptMethod::none;
  uint64_t l1_table_offset = 0;
  std::string backing_file;

  // Of the guest's disk: whole sectors, as QEMU has it.
  uint64_t size() const { return disk_size / sector_size * sector_size; }
  uint64_t cluster_size() const { return uint64_t{1} << cluster_bits; }
  uint64_t l2_entries() const { return uint64_t{1} << l2_bits; }
};

// Afterwards the L1 table lies inside the file and has an entry for all of the disk.
Result<Header> read_header(BlockDevice& file);

}  // namespace disklathe::qcow
