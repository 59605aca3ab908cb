// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/compare.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/engine/map_cursor.h"
#include "core/engine/piece_reader.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"

namespace disklathe {
namespace {

constexpr uint64_t nowhere = std::numeric_limits<uint64_t>::max();

// The same window of both images; at least one of them has data in it.
struct Pair {
  Range guest;
  std::vector<Extent> a, b;
};

// Cuts both disks into the same windows, leaving out those in which both read as zero. Any thread.
class PairCutter {
 public:
  PairCutter(Image& a, Image& b, uint64_t size, uint64_t piece_size, Progress& progress)
      : a_(a), b_(b), size_(size), piece_size_(piece_size), progress_(progress) {}

  // False when there are no more.
  Result<bool> next(Pair& pair) {
    const std::scoped_lock lock(mutex_);
    while (at_ < size_) {
      const uint64_t window_end = std::min(round_down(at_, piece_size_) + piece_size_, size_);
      auto zero_a = a_.zero_until(at_, size_);
      if (!zero_a) return failure(zero_a);
      auto zero_b = b_.zero_until(at_, size_);
      if (!zero_b) return failure(zero_b);
      const uint64_t both = std::min(*zero_a, *zero_b);
      if (both >= window_end) {
        const uint64_t end = both == size_ ? size_ : round_down(both, piece_size_);
        progress_.verified += end - at_;
        at_ = end;
        continue;
      }
      pair.guest = Range::between(at_, window_end);
      pair.a.clear();
      pair.b.clear();
      if (auto done = a_.collect(pair.guest, pair.a); !done) return failure(done);
      if (auto done = b_.collect(pair.guest, pair.b); !done) return failure(done);
      at_ = window_end;
      return true;
    }
    return false;
  }

 private:
  std::mutex mutex_;
  MapCursor a_, b_;
  const uint64_t size_, piece_size_;
  Progress& progress_;
  uint64_t at_ = 0;
};

struct Comparison {
  Image& a;
  Image& b;
  Plan plan;
  PairCutter cutter;
  JobState state;
  Progress& progress;
  std::atomic<uint64_t> first_difference{nowhere};

  // The lowest offset wins, whichever slot was first.
  void differs_at(uint64_t offset) {
    uint64_t known = first_difference.load();
    while (offset < known && !first_difference.compare_exchange_weak(known, offset)) {
    }
    state.finish();
  }
};

// One image's half of a slot.
struct Side {
  PieceReader reader;
  AlignedBuffer buffer;

  Side(Image& image, uint64_t piece_size) : reader(image, piece_size), buffer(piece_size, 1) {}
};

Task<Result<void>> compare_pair(Ring& ring, Comparison& comparison, Side& a, Side& b, const Pair& pair) {
  std::vector<Task<Result<void>>> reads;
  reads.push_back(a.reader.read_all(ring, pair.guest.at, pair.a, a.buffer.bytes()));
  reads.push_back(b.reader.read_all(ring, pair.guest.at, pair.b, b.buffer.bytes()));
  if (auto done = co_await when_all(std::move(reads)); !done) co_return failure(done);
  const Bytes left = a.buffer.first(pair.guest.length);
  const Bytes right = b.buffer.first(pair.guest.length);
  if (std::memcmp(left.data(), right.data(), left.size()) != 0) {
    const auto at = std::ranges::mismatch(left, right).in1 - left.begin();
    comparison.differs_at(pair.guest.at + static_cast<uint64_t>(at));
  }
  comparison.progress.verified += pair.guest.length;
  co_return Result<void>{};
}

Task<void> compare_slot(Ring& ring, Comparison& comparison) {
  Side a(comparison.a, comparison.plan.piece_size);
  Side b(comparison.b, comparison.plan.piece_size);
  Pair pair;
  while (!comparison.state.over()) {
    auto more = comparison.cutter.next(pair);
    if (more && !*more) break;
    Result<void> done;
    if (more) {
      done = co_await compare_pair(ring, comparison, a, b, pair);
    } else {
      done = failure(more);
    }
    if (!done) comparison.state.fail(std::move(done.error()));
  }
}

}  // namespace

Result<std::optional<Difference>> compare(Image& a, Image& b, const CompareOptions& options, Progress& progress,
                                          const Stop& stop) {
  const uint64_t size = std::min(std::max(a.size(), b.size()), options.limit);
  progress.total = size;
  progress.phase = Phase::verify;
  if (options.strict && a.size() != b.size()) return Difference{std::min(a.size(), b.size())};

  PlanRequest request;
  request.queued = wants_queue(a) || wants_queue(b);
  request.computes = has_compression(a) || has_compression(b);
  request.unit = std::max(a.decode_unit(), b.decode_unit());
  request.buffers = 2 + (request.computes ? 4 : 0);
  const Plan plan = make_plan(request);
  Comparison comparison{.a = a,
                        .b = b,
                        .plan = plan,
                        .cutter = PairCutter(a, b, size, plan.piece_size, progress),
                        .state = JobState(stop),
                        .progress = progress};
  run_workers(plan, comparison.state, [&](Ring& ring) { return compare_slot(ring, comparison); });
  const uint64_t found = comparison.first_difference.load();
  auto done = comparison.state.result("compare");
  if (found != nowhere) return Difference{found};
  if (!done) return failure(done);
  return std::nullopt;
}

}  // namespace disklathe
