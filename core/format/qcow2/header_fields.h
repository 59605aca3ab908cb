// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace disklathe::qcow2 {

// The fixed fields, by their offsets in the file.
struct Field {
  static constexpr uint64_t version = 4, backing_file_offset = 8, backing_file_size = 16, cluster_bits = 20, size = 24,
                            crypt_method = 32, l1_size = 36, l1_table_offset = 40, refcount_table_offset = 48,
                            refcount_table_clusters = 56, nb_snapshots = 60, snapshots_offset = 64,
                            incompatible_features = 72, compatible_features = 80, autoclear_features = 88,
                            refcount_order = 96, header_length = 100, compression_type = 104;
};

// An entry of the feature name table: its set, its bit, its name.
inline constexpr size_t feature_entry_size = 48, feature_name_size = 46;

}  // namespace disklathe::qcow2
