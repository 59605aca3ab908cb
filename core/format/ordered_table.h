// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe {

// A table of such numbers in a new file, filled from its first entry to its last, and written as it
// fills: memory stays flat however long it is. Entries that are never set are `filler`. Not thread-safe.
template <std::unsigned_integral Entry, std::endian order>
class OrderedEntries {
 public:
  struct Setup {
    uint64_t host = 0;   // of entry 0
    uint64_t count = 0;  // entries
    Entry filler = 0;
    bool filled = false;  // the file reads as `filler` there already: long runs of it are left out
  };
  OrderedEntries(BlockDevice& file, const Setup& setup) : file_(file), setup_(setup) {}

  // index: below count, and not before the one set last; the same one may be set again.
  Result<void> set(uint64_t index, Entry value);
  // Fills up to the end and writes what is left.
  Result<void> finish();

 private:
  uint64_t end() const;
  Result<void> fill_until(uint64_t index);
  Result<void> write_window();
  void append(Entry value);

  BlockDevice& file_;
  const Setup setup_;
  uint64_t first_ = 0;             // the entry that the window begins with
  std::vector<std::byte> window_;  // entries up to the one set last
};

using OrderedTable = OrderedEntries<uint32_t, std::endian::little>;

}  // namespace disklathe
