// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/zero.h"

#include <algorithm>
#include <utility>

#include "core/engine/zero.h"

namespace disklathe::job {
namespace {

constexpr uint64_t discard_step = 1 << 30;  // bytes between looks at a stop
constexpr unsigned samples = 256;

Result<uint64_t> discard(std::span<const Range> ranges, const ZeroTarget& target, Progress& progress,
                         const Stop& stop) {
  progress.phase = Phase::write;
  for (const Range& range : ranges) progress.total += range.length;
  uint64_t discarded = 0;
  for (Range left : ranges) {
    while (!left.empty()) {
      stop.wait_while_paused();
      if (stop.requested()) return failure(ErrorKind::stopped, "discard", {});
      const Range part{left.at, std::min(left.length, discard_step)};
      if (auto done = target.discard(part); !done) return failure(done);
      discarded += part.length;
      progress.skipped += part.length;
      left = Range::between(part.end(), left.end());
    }
  }
  if (auto flushed = target.device.flush_now(); !flushed) return failure(flushed);
  return discarded;
}

}  // namespace

ZeroTarget zero_target(FileDevice& file, std::function<Result<std::unique_ptr<FileDevice>>()> again) {
  return {.device = file,
          .discard = [&file](Range range) { return file.discard_now(range); },
          .again = [&file, again = std::move(again)]() -> Result<std::unique_ptr<BlockDevice>> {
            file.drop_cache();
            auto reader = again();
            if (!reader) return failure(reader);
            return std::move(*reader);
          }};
}

Result<Zeroed> zero(const Zero& asked, const ZeroTarget& target, Progress& progress, const Stop& stop) {
  Zeroed outcome{.all_read = asked.verify};
  if (asked.discard) {
    auto discarded = discard(asked.ranges, target, progress, stop);
    if (!discarded) return failure(discarded);
    outcome.discarded = *discarded;
  } else {
    auto done =
        make_zero({.target = &target.device, .ranges = asked.ranges, .only = asked.method, .clock = &stop.clock()},
                  progress, stop);
    if (!done) return failure(done);
    outcome.done = *done;
  }
  auto reader = target.again();
  if (!reader) return failure(reader);
  std::vector<Range> places = asked.ranges;
  if (!asked.verify) places = sample_places(asked.ranges, samples, asked.seed);
  auto found = find_nonzero(**reader, places, progress, stop);
  if (!found) return failure(found);
  outcome.nonzero_at = *found;
  return outcome;
}

}  // namespace disklathe::job
