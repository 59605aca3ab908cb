// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/engine/in_place.h"
#include "core/io/range_lock.h"
#include "core/io/ring.h"
#include "core/zero/prices.h"

namespace disklathe {

// A raw disk. Zeroing takes the target's cheapest way: on a file a hole, which is worth more than the time it takes; on
// a device its command, unless that was measured to take longer than writing.
class RawInPlace final : public InPlace {
 public:
  explicit RawInPlace(BlockDevice& file, const Clock& clock = steady_clock()) : file_(file), clock_(clock) {}

  Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) override;
  Task<Result<void>> zero(Ring& ring, Range range, bool keep, bool fast) override;
  Task<Result<void>> trim(Ring& ring, Range range) override;
  Task<Result<void>> flush(Ring& ring) override { return file_.flush(ring); }
  Task<Result<void>> finish(Ring& ring) override { return file_.flush(ring); }

 private:
  RangeLock::Waiting lock_pages(Ring& ring, Range range);
  bool may_try(ZeroMethod method, uint64_t length, bool fast);
  Task<Result<void>> command(Ring& ring, Range range, ZeroMethod method);

  BlockDevice& file_;
  RangeLock pages_;  // of a file that is written to directly
  const Clock& clock_;
  std::atomic<unsigned> refused_{0};  // a bit for each method that the target does not have
  std::mutex mutex_;                  // guards the prices
  WritePrice write_price_;
  CommandPrice command_price_;
};

}  // namespace disklathe
