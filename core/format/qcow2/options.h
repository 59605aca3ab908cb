// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/format/option_values.h"
#include "core/format/qcow2/layout.h"
#include "core/format/registry.h"

namespace disklathe::qcow2 {

// -o of a new image, with qemu-img's names and defaults.
struct CreateOptions {
  uint32_t version = 3;
  uint32_t cluster_bits = 16;
  uint32_t refcount_order = 4;
  bool extended_l2 = false;
  bool lazy_refcounts = false;
  bool data_file_raw = false;
  Preallocation preallocation = Preallocation::off;
  CompressionType compression_type = CompressionType::zlib;
  std::string backing_file, backing_format, data_file;  // empty: none

  uint64_t cluster_size() const { return 1ull << cluster_bits; }
  uint64_t l2_entries() const { return cluster_size() / l2_entry_size(extended_l2); }
};

const std::vector<OptionInfo>& create_options();

// Each value by itself. Error: invalid, operation "create".
Result<CreateOptions> parse_options(const FormatOptions& given);

// What does not go together; what is only possible in version 3. Error: invalid, operation "create".
Result<void> check_combination(const CreateOptions& options);

// Entries of the L1 table for a disk of this many bytes. Error: invalid, when QEMU's limit of 32 MiB for that table
// would be passed; the cause names a cluster_size that would do.
Result<uint32_t> l1_entries(uint64_t size, const CreateOptions& options);

}  // namespace disklathe::qcow2
