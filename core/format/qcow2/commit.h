// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/qcow2/edited_refcounts.h"
#include "core/format/qcow2/edited_tables.h"

namespace disklathe::qcow2 {

// Makes what was changed durable, in an order in which a lost write leaks space at worst (docs/adr):
//   1. refcounts, with the data and new tables that were written before;  2. the refcount table;
//   3. the header, where that table has moved;  4. L1 and L2 tables;
// each durable before the next is written. Only then references that are gone are counted down.
class Commit {
 public:
  Commit(BlockDevice& file, EditedTables& tables, EditedRefcounts& refcounts)
      : file_(file), tables_(tables), refcounts_(refcounts), named_(refcounts.table()) {}

  // dropped: references that the changes up to now have given up, the host cluster of each.
  void begin(std::vector<uint64_t> dropped);
  // As ImageEditor::advance(). Needs no lock: what it writes is what begin() took.
  Result<bool> advance();
  // The references that are not counted down.
  std::vector<uint64_t> cancel();

  // Counts down. The clusters that nothing refers to any more, which reuse() counts down.
  Result<std::vector<Range>> finish();
  Result<void> reuse(std::span<const Range> freed);

 private:
  enum class Step : uint8_t { counts, count_table, header, maps, done };

  BlockDevice& file_;
  EditedTables& tables_;
  EditedRefcounts& refcounts_;
  Step step_ = Step::done;
  EditedRefcounts::Table named_;    // by the header, as it is in the file
  EditedRefcounts::Table to_name_;  // by the header, at the end of this commit
  std::vector<uint64_t> dropped_;
  std::vector<std::pair<uint64_t, uint64_t>> last_;  // host cluster and references, of those that finish() told
};

}  // namespace disklathe::qcow2
