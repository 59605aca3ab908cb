// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/vmdk/descriptor.h"

// A sparse extent: a header, a grain directory whose entries lead to grain tables, whose entries lead to grains, all of
// them by sectors of the file and in 32-bit little-endian entries. Source: Virtual Disk Format 5.0, "Hosted Sparse
// Extents", "Stream-Optimized Compressed Sparse Extents", "ESX Server Sparse Extents".
namespace disklathe::vmdk {

inline constexpr uint32_t magic_hosted = 0x564d444b;  // "KDMV"
inline constexpr uint32_t magic_esx = 0x44574f43;     // "COWD"

inline constexpr uint64_t table_entry_size = 4;
inline constexpr uint32_t entries_per_table = 512;  // of hosted extents
inline constexpr uint64_t default_grain_sectors = 128;
inline constexpr uint64_t directory_at_end = 0xffffffffffffffff;

// Flags of the header.
inline constexpr uint32_t flag_newline_test = 1u << 0, flag_redundant_directory = 1u << 1, flag_zero_grains = 1u << 2,
                          flag_compressed = 1u << 16, flag_markers = 1u << 17;
inline constexpr uint16_t algorithm_none = 0, algorithm_deflate = 1;

// A table entry that is no sector, where flag_zero_grains allows it: the grain reads as zeroes.
inline constexpr uint32_t entry_zero_grain = 1;

// The fields of a hosted extent's header (and footer), by their offsets in it.
struct Field {
  static constexpr uint64_t version = 4, flags = 8, capacity = 12, grain_size = 20, descriptor_offset = 28,
                            descriptor_size = 36, entries_per_table = 44, redundant_directory = 48, directory = 56,
                            overhead = 64, unclean_shutdown = 72, newline_test = 73, compress_algorithm = 77, end = 79;
};
// Those of an ESX extent's.
struct EsxField {
  static constexpr uint64_t version = 4, flags = 8, capacity = 12, grain_size = 16, directory = 20,
                            directory_entries = 24, end = 28;
};

// What precedes a grain or a piece of metadata in a stream: the sector of the guest or a count of sectors, the bytes of
// compressed data (0: metadata), and then the data or the type of the metadata.
struct Marker {
  static constexpr uint64_t value = 0, size = 8, data = 12, type = 12;
  enum class Type : uint32_t { end_of_stream = 0, grain_table = 1, grain_directory = 2, footer = 3 };
};

struct SparseHeader {
  uint32_t version = 1, flags = 0;
  uint64_t capacity = 0;  // sectors of the guest's disk that the extent holds
  uint64_t grain_sectors = default_grain_sectors;
  uint64_t descriptor_sector = 0, descriptor_sectors = 0;  // 0: none inside
  uint32_t entries_per_table = vmdk::entries_per_table;
  uint64_t redundant_directory_sector = 0, directory_sector = 0;
  uint64_t overhead_sectors = 0;  // before the first grain
  bool unclean = false;
  uint16_t compress_algorithm = algorithm_none;

  bool compressed() const { return compress_algorithm == algorithm_deflate; }
  bool zero_grains() const { return flags & flag_zero_grains; }
  uint64_t grain_size() const { return grain_sectors * sector_size; }
  uint64_t directory_entries() const;

  void encode(MutableBytes sector) const;  // 512 bytes, of a hosted extent
};

// Reads and checks the header of a sparse extent of either kind; of a stream the footer, which says where its directory
// is. Afterwards the directory lies inside the file, and all numbers are small enough to count with.
Result<SparseHeader> read_sparse_header(BlockDevice& file);

// The text of the descriptor inside it; empty: there is none.
Result<std::string> read_descriptor(BlockDevice& file, const SparseHeader& header);

}  // namespace disklathe::vmdk
