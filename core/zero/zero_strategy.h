// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/io/buffer_pool.h"
#include "core/io/ring.h"
#include "core/io/stop.h"
#include "core/zero/cost_model.h"
#include "core/zero/target_gate.h"

namespace disklathe {

// Makes ranges of one target zero in the cheapest way (zero/cost_model), and remembers what the target refuses. What is
// zero there already needs nothing: a file's holes, and what reading shows where that costs less than writing. Shared
// by all slots.
class ZeroStrategy {
 public:
  // only: this method and no other; a target that refuses it is an error.
  ZeroStrategy(BlockDevice& target, const Clock& clock, const Stop& stop,
               std::optional<ZeroMethod> only = std::nullopt);

  // A data write to the target: measured, and kept from getting between a command that is measured and its time.
  Task<Result<void>> write(Ring& ring, uint64_t at, std::span<const iovec> vectors);

  // Zeroes between data in runs shorter than this belong into the data write.
  uint64_t fold_below() { return model_.fold_below(clock_.now()); }

  // Long ranges go in steps, so that a stop is heard between them; `zeroed` counts bytes as they are done. No byte of a
  // range may have been written before, or be written after: each is written or zeroed once.
  Task<Result<void>> zero(Ring& ring, Range range, std::atomic<uint64_t>& zeroed);

  // What was done so far, bytes. found: were zero already, as holes of a file or because they were read.
  struct Done {
    uint64_t commanded = 0, written = 0, found = 0;
    std::optional<ZeroMethod> command;  // the last that was taken
  };
  Done done() const;

 private:
  Task<Result<void>> zero_step(Ring& ring, Range range, ZeroCostModel::Step step, uint64_t& length);
  Task<Result<bool>> command(Ring& ring, Range range, const ZeroCostModel::Step& step);
  Task<Result<void>> write_zeroes(Ring& ring, Range range);
  Task<Result<void>> write_part(Ring& ring, Range range);
  Task<bool> is_zero(Ring& ring, Range range);
  Result<Allocation> first_run(Range range);

  BlockDevice& target_;
  const Clock& clock_;
  const Stop& stop_;
  const std::vector<ZeroMethod> commands_;  // best first
  const bool may_write_;
  const bool may_look_;
  std::atomic<size_t> command_{0};  // into commands_; those before it were refused
  ZeroCostModel model_;
  TargetGate gate_;
  BufferPool buffers_;  // to look what is there
  std::atomic<uint64_t> commanded_{0}, written_{0}, found_{0};
  // The target's answer that is being used up. Asked again for each hole, a file in many pieces would walk all that
  // follow each time. No range is zeroed after it was written, so what was a hole stays one for who asks.
  std::mutex known_mutex_;
  Allocation known_{};
};

}  // namespace disklathe
