// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/vmdk/options.h"
#include "core/format/vmdk/sparse_header.h"

namespace disklathe::vmdk {

// What both kinds of new images share: a header and a descriptor, and guest ranges that are whole units.
class NewImage {
 public:
  // size: of the guest's disk, as asked; the image has whole sectors.
  NewImage(BlockDevice& file, uint64_t size, bool target_is_zero, const CreateOptions& options);

  uint64_t given_size() const { return given_size_; }
  uint64_t sectors() const { return sectors_; }
  uint64_t grains() const { return grains_; }
  bool target_is_zero() const { return target_is_zero_; }
  BlockDevice& file() const { return file_; }

  Result<void> begin() const;
  Result<void> check(Range guest, uint32_t unit) const;
  // Descriptor, flush, header, flush. Everything else is written, and the file ends where it is to end.
  Result<void> finish(const SparseHeader& header, bool durable) const;

 private:
  BlockDevice& file_;
  const uint64_t given_size_, sectors_, grains_;
  const bool target_is_zero_;
  const CreateOptions options_;
};

inline constexpr uint64_t grain_size = default_grain_sectors * sector_size;
inline constexpr uint64_t descriptor_sector = 1;
inline constexpr uint64_t first_free_sector = descriptor_sector + embedded_descriptor_sectors;

// Grains lie where 32 bits can tell: at most 2 TiB of file.
Result<uint32_t> sector_number(uint64_t host);

}  // namespace disklathe::vmdk
