// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/edited_refcounts.h"
#include "core/format/qcow2/edited_tables.h"
#include "core/format/qcow2/l2_entry.h"
#include "core/format/qcow2/layout.h"
#include "core/format/qcow2/occupied.h"

namespace disklathe::qcow2 {

// The L1 table and the L2 tables of the active state, entry by entry. Before an L2 table is changed it is made the
// active state's own. Not thread-safe.
class EditedMaps {
 public:
  EditedMaps(BlockDevice& file, EditedTables& tables, EditedRefcounts& refcounts, Occupied& occupied,
             const Header& header);

  // Guest bytes that one L2 table maps: at() is asked, and set() told, of tables that own() was called for.
  uint64_t span() const { return header_.l1_entry_span(); }

  // The L2 table that maps the guest's byte.
  struct Table {
    uint64_t host = 0;  // 0: there is none
    bool own = false;
  };
  Result<Table> table(uint64_t guest);
  // Makes it if there is none, copies it if others have it too; the former one is then in `dropped`.
  Result<Table> own_table(uint64_t guest, std::vector<uint64_t>& dropped);

  // An empty entry where there is no table.
  Result<L2Entry> entry(const Table& table, uint64_t guest);
  Result<void> set(const Table& table, uint64_t guest, const L2Entry& entry);

 private:
  uint64_t entry_at(const Table& table, uint64_t guest) const;

  BlockDevice& file_;
  EditedTables& tables_;
  EditedRefcounts& refcounts_;
  Occupied& occupied_;
  const Header& header_;
};

}  // namespace disklathe::qcow2
