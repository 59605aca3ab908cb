// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/format/qed/layout.h"
#include "core/format/two_level_map.h"

namespace disklathe::qed {

// Where the guest's bytes are.
class Map final : public TwoLevelMap {
 public:
  Map(const Header& header, BlockDevice& file, std::shared_ptr<TableCache> tables);

 private:
  Result<uint64_t> l2_table(uint64_t entry, uint64_t index) const override;
  Result<Extent> cluster(uint64_t entry, Range guest) const override;
  // Both are whole clusters behind the header. name: of what an entry leads to, with a capital letter or not.
  Result<void> check_place(uint64_t at, uint64_t length, std::string_view name, uint64_t number) const;

  const uint64_t cluster_size_, table_bytes_, header_bytes_;
};

}  // namespace disklathe::qed
