// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/zero.h"

#include <algorithm>
#include <mutex>
#include <random>

#include "core/base/arithmetic.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"
#include "core/io/aligned_buffer.h"
#include "core/zero/zero_scan.h"

namespace disklathe {
namespace {

constexpr uint64_t sample_size = 64 << 10;

uint64_t sum_of(std::span<const Range> ranges) {
  uint64_t sum = 0;
  for (const Range& range : ranges) sum += range.length;
  return sum;
}

Task<void> zero_slot(Ring& ring, ZeroStrategy& strategy, const ZeroJob& job, JobState& state, Progress& progress) {
  for (const Range& range : job.ranges) {
    auto done = co_await strategy.zero(ring, range, progress.zeroed);
    if (!done) co_return state.fail(std::move(done.error()));
  }
}

// What the slots that read back share.
struct ReadBack {
  BlockDevice& target;
  const std::span<const Range> ranges;
  const uint64_t piece_size;
  JobState& state;
  Progress& progress;
  std::mutex mutex;
  size_t next = 0;    // into ranges
  uint64_t done = 0;  // bytes of that one
  std::optional<uint64_t> found;

  // The next piece to be read; empty: no more.
  Result<Range> take() {
    const std::scoped_lock lock(mutex);
    while (next < ranges.size()) {
      const Range left = Range::between(ranges[next].at + done, ranges[next].end());
      if (left.empty()) {
        ++next;
        done = 0;
        continue;
      }
      if (target.has_holes()) {
        auto there = target.allocation(left.at);
        if (!there) return failure(there);
        const uint64_t hole = there->data ? 0 : intersection(there->range, left).length;
        progress.verified += hole;
        done += hole;
        if (hole > 0) continue;
      }
      const Range piece{left.at, std::min(left.length, piece_size - left.at % piece_size)};
      done += piece.length;
      return piece;
    }
    return Range{};
  }

  void tell(uint64_t offset) {
    const std::scoped_lock lock(mutex);
    found = std::min(found.value_or(offset), offset);
    state.finish();
  }
};

Task<void> read_slot(Ring& ring, ReadBack& job) {
  AlignedBuffer buffer(job.piece_size, job.target.limits().opt_mem_align);
  while (!job.state.over()) {
    auto piece = job.take();
    if (!piece) co_return job.state.fail(std::move(piece.error()));
    if (piece->empty()) co_return;
    const MutableBytes bytes = buffer.first(piece->length);
    const iovec vector{bytes.data(), bytes.size()};
    auto read = co_await job.target.readv(ring, piece->at, {&vector, 1});
    if (!read) co_return job.state.fail(std::move(read.error()));
    if (const size_t at = first_nonzero(bytes); at < bytes.size()) co_return job.tell(piece->at + at);
    job.progress.verified += piece->length;
  }
}

Plan plan_for(const BlockDevice& target) {
  return make_plan({.queued = target.io_mode() == IoMode::queued,
                    .rotating = target.limits().rotational.value_or(false),
                    .optimal_io = target.limits().optimal_io.value});
}

}  // namespace

Result<ZeroStrategy::Done> make_zero(const ZeroJob& job, Progress& progress, const Stop& stop) {
  progress.total = sum_of(job.ranges);
  progress.phase = Phase::write;
  ZeroStrategy strategy(*job.target, *job.clock, stop, job.only);
  JobState state(stop);
  // The strategy itself keeps several writes in flight.
  const Plan plan{.workers = 1, .slots_per_worker = 1, .ring = plan_for(*job.target).ring};
  run_workers(plan, state, [&](Ring& ring) { return zero_slot(ring, strategy, job, state, progress); });
  if (auto done = state.result("zero"); !done) return failure(done);

  progress.phase = Phase::flush;
  if (auto flushed = job.target->flush_now(); !flushed) return failure(flushed);
  progress.flushed = progress.position();
  return strategy.done();
}

Result<std::optional<uint64_t>> find_nonzero(BlockDevice& target, std::span<const Range> ranges, Progress& progress,
                                             const Stop& stop) {
  progress.total = sum_of(ranges);
  progress.verified = 0;
  progress.phase = Phase::verify;
  const Plan plan = plan_for(target);
  JobState state(stop);
  ReadBack job{.target = target, .ranges = ranges, .piece_size = plan.piece_size, .state = state, .progress = progress};
  run_workers(plan, state, [&](Ring& ring) { return read_slot(ring, job); });
  if (auto done = state.result("verify"); !done) return failure(done);
  return job.found;
}

std::vector<Range> sample_places(std::span<const Range> ranges, unsigned count, uint32_t seed) {
  std::mt19937_64 random(seed);
  const uint64_t total = std::max<uint64_t>(sum_of(ranges), 1);
  std::vector<Range> places;
  for (const Range& range : ranges) {
    const auto share = static_cast<unsigned>(static_cast<double>(range.length) / static_cast<double>(total) * count);
    const uint64_t stride = round_down(range.length / std::max(share, 1U), 4096);
    if (stride <= sample_size || share < 2) {
      places.push_back({range.at, std::min(range.length, sample_size)});
      const uint64_t rest = range.length - places.back().length;
      if (rest > 0) places.push_back({range.end() - std::min(rest, sample_size), std::min(rest, sample_size)});
      continue;
    }
    for (unsigned i = 0; i < share; ++i) {
      const uint64_t shift = round_down(random() % (stride - sample_size + 1), 4096);
      const uint64_t last = range.end() - sample_size;
      places.push_back({i == 0 ? range.at : i + 1 == share ? last : range.at + i * stride + shift, sample_size});
    }
  }
  return places;
}

}  // namespace disklathe
