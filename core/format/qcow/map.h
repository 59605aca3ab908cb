// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/format/qcow/layout.h"
#include "core/format/two_level_map.h"

namespace disklathe::qcow {

// Where the guest's bytes are.
class Map final : public TwoLevelMap {
 public:
  Map(const Header& header, BlockDevice& file, std::shared_ptr<TableCache> tables);

 private:
  Result<uint64_t> l2_table(uint64_t entry, uint64_t index) const override;
  Result<Extent> cluster(uint64_t entry, Range guest) const override;

  const uint32_t cluster_bits_;
  const uint64_t cluster_size_, l2_size_;  // bytes
  const bool encrypted_;
};

}  // namespace disklathe::qcow
