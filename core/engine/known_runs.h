// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe {

// Where a file that does not change has data and holes, as far as somebody has asked: to find a run's end may take the
// kernel a look at every page, and those who read a file side by side would each ask anew. Any thread; takes at most
// some 300 KiB.
class KnownRuns {
 public:
  explicit KnownRuns(BlockDevice& file) : file_(file) {}

  // The run that holds the offset, which lies inside the file; it may have begun before. Errors: as of
  // BlockDevice::allocation(), and changed, where the file has become shorter.
  Result<Allocation> at(uint64_t offset);

 private:
  BlockDevice& file_;
  std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> runs_;  // by their starts
};

}  // namespace disklathe
