// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe::qcow2 {

// A table of 64-bit entries that stays in memory until the end (L1, refcount table): all zero at first. Its size
// follows the disk's, so memory and file are touched only where an entry was set.
class EntryTable {
 public:
  explicit EntryTable(uint64_t count);

  uint64_t count() const { return count_; }
  uint64_t get(uint64_t index) const;
  void set(uint64_t index, uint64_t value);

  // Writes it at `host`, filled up with zeroes to `stored` bytes. sparse: the file reads zero there, pages that are
  // all zero are left out.
  Result<void> write(BlockDevice& file, uint64_t host, uint64_t stored, bool sparse) const;

 private:
  struct Free {
    void operator()(uint64_t* memory) const { std::free(memory); }
  };
  uint64_t count_;
  std::unique_ptr<uint64_t[], Free> entries_;  // big-endian
};

}  // namespace disklathe::qcow2
