// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <optional>

#include "core/format/image_writer.h"
#include "core/format/ordered_table.h"
#include "core/format/vmdk/new_image.h"

namespace disklathe::vmdk {

// monolithicSparse, laid out as VMware and QEMU do: header, descriptor, the redundant grain directory and its tables,
// the directory and its tables, and from a grain boundary on the grains in guest order.
class SparseWriter final : public ImageWriter {
 public:
  explicit SparseWriter(NewImage image);

  Result<void> begin();

  // Where nothing has to be cleared, parts of a grain are as good as all of it.
  uint32_t unit() const override { return image_.target_is_zero() ? 4096 : static_cast<uint32_t>(grain_size); }
  Result<void> place(std::span<Placement> placements) override;
  Result<std::optional<Range>> place_zero(Range guest) override;
  Result<void> finish(bool durable) override;

 private:
  // Sectors of the four tables, each directory before its grain tables, which lie in a row.
  struct Layout {
    uint64_t tables = 0;  // how many
    uint64_t redundant_directory = 0, redundant_tables = 0, directory = 0, first_table = 0, grains = 0;
  };
  static Layout layout_for(uint64_t grains);
  OrderedTable::Setup table_at(uint64_t sector, uint64_t count) const;
  Result<void> allocate(uint64_t grain);
  Result<void> write_directory(uint64_t sector, uint64_t first_table);

  const NewImage image_;
  const Layout layout_;

  std::mutex mutex_;  // what follows
  OrderedTable redundant_tables_, tables_;
  uint64_t end_;  // where the next grain goes
  std::optional<uint64_t> last_grain_;
};

}  // namespace disklathe::vmdk
