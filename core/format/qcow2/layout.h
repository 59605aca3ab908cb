// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

// How a qcow2 file is laid out, as QEMU's docs/interop/qcow2 specifies it; shared by reader and writer. All numbers in
// the file are big-endian.
namespace disklathe::qcow2 {

inline constexpr uint32_t magic = 0x514649fb;  // "QFI\xfb"
inline constexpr uint32_t header_length_v2 = 72;
inline constexpr uint32_t header_length_v3 = 104;       // what version 3 has at least
inline constexpr uint32_t header_length_current = 112;  // with compression_type and its padding: what is written
inline constexpr uint32_t min_cluster_bits = 9, max_cluster_bits = 21;
inline constexpr uint32_t min_cluster_bits_extended_l2 = 14;
inline constexpr uint32_t subclusters_per_cluster = 32;
inline constexpr uint32_t sector_size = 512;  // the unit of a compressed cluster's length

// What QEMU opens at most, and so do we.
inline constexpr uint32_t max_backing_name = 1023;                // bytes
inline constexpr uint64_t max_l1_bytes = 32ull << 20;             // 32 MiB
inline constexpr uint64_t max_refcount_table_bytes = 8ull << 20;  // 8 MiB
inline constexpr uint32_t max_snapshots = 65536;
inline constexpr uint64_t max_snapshot_table_bytes = 64ull << 20;
inline constexpr uint32_t max_bitmaps = 65535;

// incompatible_features
inline constexpr uint64_t incompatible_dirty = 1u << 0;
inline constexpr uint64_t incompatible_corrupt = 1u << 1;
inline constexpr uint64_t incompatible_data_file = 1u << 2;
inline constexpr uint64_t incompatible_compression_type = 1u << 3;
inline constexpr uint64_t incompatible_extended_l2 = 1u << 4;
inline constexpr uint64_t incompatible_known = (1u << 5) - 1;
// compatible_features
inline constexpr uint64_t compatible_lazy_refcounts = 1u << 0;
// autoclear_features
inline constexpr uint64_t autoclear_bitmaps = 1u << 0;
inline constexpr uint64_t autoclear_data_file_raw = 1u << 1;

enum class CompressionType : uint8_t { zlib = 0, zstd = 1 };  // zlib: a raw deflate stream, no zlib header
enum class CryptMethod : uint32_t { none = 0, aes = 1, luks = 2 };

enum class ExtensionType : uint32_t {
  end = 0x00000000,
  backing_format = 0xe2792aca,
  feature_names = 0x6803f857,
  bitmaps = 0x23852875,
  encryption_header = 0x0537be77,
  data_file = 0x44415441,
};

// Entries of L1, L2 and refcount tables.
inline constexpr uint64_t entry_copied = 1ull << 63;          // L1 and L2: the refcount is exactly one
inline constexpr uint64_t entry_compressed = 1ull << 62;      // L2
inline constexpr uint64_t entry_zero = 1ull << 0;             // L2, standard clusters, version 3 without extended L2
inline constexpr uint64_t entry_offset = 0x00fffffffffffe00;  // L1 and L2: bits 9-55
inline constexpr uint64_t l1_reserved = ~(entry_copied | entry_offset);
inline constexpr uint64_t l2_standard_reserved = ~(entry_copied | entry_compressed | entry_zero | entry_offset);
inline constexpr uint64_t refcount_table_offset_mask = ~0x1ffull;  // bits 9-63
inline constexpr uint32_t l1_entry_size = 8;
inline constexpr uint32_t refcount_table_entry_size = 8;
constexpr uint32_t l2_entry_size(bool extended_l2) { return extended_l2 ? 16 : 8; }

// A compressed cluster's descriptor: bits 0..x-1 the host offset, x..61 how many 512-byte sectors follow the first.
constexpr uint32_t compressed_offset_bits(uint32_t cluster_bits) { return 62 - (cluster_bits - 8); }

enum class FeatureSet : uint8_t { incompatible = 0, compatible = 1, autoclear = 2 };
struct FeatureName {
  FeatureSet set = FeatureSet::incompatible;
  uint8_t bit = 0;
  std::string name;  // at most 46 bytes
  friend bool operator==(const FeatureName&, const FeatureName&) = default;
};
// The names of every feature that this program knows, as QEMU writes them.
std::span<const FeatureName> known_feature_names();

struct BitmapsExtension {
  uint32_t count = 0;
  uint64_t directory_size = 0, directory_offset = 0;  // bytes
  friend bool operator==(const BitmapsExtension&, const BitmapsExtension&) = default;
};

struct EncryptionHeader {
  uint64_t offset = 0, length = 0;  // bytes
  friend bool operator==(const EncryptionHeader&, const EncryptionHeader&) = default;
};

// The header with its extensions and the backing file's name: all that the first cluster holds. Fields have their
// specification's names; offsets and sizes are in bytes unless the name says clusters or entries.
struct Header {
  uint32_t version = 3;
  uint32_t cluster_bits = 16;
  uint64_t size = 0;  // of the guest's disk
  CryptMethod crypt_method = CryptMethod::none;
  uint32_t l1_size = 0;  // entries
  uint64_t l1_table_offset = 0;
  uint64_t refcount_table_offset = 0;
  uint32_t refcount_table_clusters = 0;
  uint32_t nb_snapshots = 0;
  uint64_t snapshots_offset = 0;
  uint64_t incompatible_features = 0;
  uint64_t compatible_features = 0;
  uint64_t autoclear_features = 0;
  uint32_t refcount_order = 4;
  CompressionType compression_type = CompressionType::zlib;

  std::string backing_file;                    // empty: none
  std::string backing_format;                  // empty: the image does not say
  std::string data_file;                       // empty: the image does not say
  std::vector<FeatureName> feature_names;      // as the image has them
  std::optional<BitmapsExtension> bitmaps;     // parse() only
  std::optional<EncryptionHeader> encryption;  // parse() only

  uint64_t cluster_size() const { return 1ull << cluster_bits; }
  bool has_data_file() const { return incompatible_features & incompatible_data_file; }
  bool data_file_raw() const { return has_data_file() && (autoclear_features & autoclear_data_file_raw); }
  bool extended_l2() const { return incompatible_features & incompatible_extended_l2; }
  uint32_t refcount_bits() const { return 1u << refcount_order; }
  uint64_t l2_entries() const { return cluster_size() / l2_entry_size(extended_l2()); }
  uint64_t subcluster_size() const { return extended_l2() ? cluster_size() / subclusters_per_cluster : cluster_size(); }
  // Guest bytes that one L1 entry maps.
  uint64_t l1_entry_span() const { return l2_entries() << cluster_bits; }

  // `head`: the file's first cluster, or all of a file that is shorter (more does no harm). Everything that can be
  // judged from the header alone is: versions, features, alignments, table sizes, and that tables lie inside the file.
  // Errors: corrupt, or unsupported naming the feature; operation "open", offset of the field.
  static Result<Header> parse(Bytes head, uint64_t file_size);

  // The first bytes of the file, at most one cluster (the rest of which is zero). The feature name table, which is
  // only for people, is left out when there is no room for it. Error: invalid, when names do not fit the cluster.
  // Version 2 has no feature fields: their flags must be clear then.
  Result<std::vector<std::byte>> encode() const;

  friend bool operator==(const Header&, const Header&) = default;
};

}  // namespace disklathe::qcow2
