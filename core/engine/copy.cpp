// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/copy.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/engine/piece_cutter.h"
#include "core/engine/piece_reader.h"
#include "core/engine/piece_writer.h"
#include "core/engine/plan.h"
#include "core/engine/tuner.h"
#include "core/engine/workers.h"
#include "core/io/buffer_pool.h"

namespace disklathe {
namespace {

constexpr uint64_t least_tuned = 64 << 10;  // bytes
constexpr uint64_t look_ahead = 16 << 20;   // how far a hole is followed beyond its piece

struct Copy {
  const CopyJob& job;
  const Plan plan;
  JobState state;
  PieceCutter cutter;
  ZeroStrategy zeroing;
  ZeroJoiner joiner;
  Turnstile turnstile;
  BufferPool buffers;
  Tuner tuner;
  Progress& progress;

  Copy(const CopyJob& copy_job, const Plan& copy_plan, Progress& copy_progress, const Stop& stop)
      : job(copy_job),
        plan(copy_plan),
        state(stop),
        cutter(*copy_job.source, copy_job.sparse_size == 0),
        zeroing(*copy_job.target[0], *copy_job.clock, stop),
        buffers(copy_plan.most_piece_size, copy_job.target[0]->limits().opt_mem_align, copy_plan.budget),
        tuner({.start = copy_plan.piece_size,
               .least = std::max(least_tuned, copy_plan.unit),
               .most = copy_plan.most_piece_size,
               .unit = copy_plan.unit}),
        progress(copy_progress) {
    if (!job.target_is_zero) cutter.look_past_edges(look_ahead);
    if (job.keep_holes) cutter.leave_out_holes(*job.source->layers()[0].reader, job.writer->unit(), progress.skipped);
  }
};

Plan plan_copy(const CopyJob& job) {
  PlanRequest request;
  for (const BlockDevice* file : job.target) {
    if (file == nullptr) continue;
    request.queued |= file->io_mode() == IoMode::queued;
    request.rotating |= file->limits().rotational.value_or(false);
  }
  request.queued |= wants_queue(*job.source);
  request.computes = job.writer->encodes() || has_compression(*job.source);
  request.buffers = 1 + (job.writer->encodes() ? 1 : 0) + (has_compression(*job.source) ? 2 : 0);
  request.worker_memory = job.writer->encode_memory();
  request.ordered = job.writer->wants_order();
  request.unit = std::max<uint64_t>(largest_cluster(*job.source), job.writer->unit());
  request.optimal_io = job.target[0]->limits().optimal_io.value;
  Plan plan = make_plan(request);
  if (job.workers != 0) plan.workers = job.workers;
  if (job.slots_per_worker != 0) plan.slots_per_worker = job.slots_per_worker;
  if (job.piece_size != 0) {
    plan.piece_size = plan.most_piece_size = round_up(job.piece_size, request.unit);
    plan.tuned = false;
  }
  return plan;
}

uint64_t data_bytes(const Piece& piece) {
  uint64_t bytes = 0;
  for (const Extent& extent : piece.extents) bytes += reads_zero(extent) ? 0 : extent.guest.length;
  return bytes;
}

// What one slot has of its own.
struct Slot {
  PieceReader reader;
  PieceWriter writer;
  Piece piece;

  explicit Slot(Copy& copy)
      : reader(*copy.job.source, copy.plan.most_piece_size),
        writer(copy.job, copy.zeroing, copy.joiner, copy.turnstile, copy.progress, copy.plan.most_piece_size) {}
};

// The next piece from its map to the target; false when there are no more.
Task<Result<bool>> copy_next(Ring& ring, Copy& copy, Slot& slot) {
  const uint64_t size = copy.plan.tuned ? copy.tuner.choice().size : copy.plan.piece_size;
  auto lease = co_await copy.buffers.lease(ring, size);
  const MutableBytes memory = lease.buffer().bytes();
  const Tuner::Time begun = copy.job.clock->now();

  Piece& piece = slot.piece;
  auto more = copy.cutter.next(piece, size);
  if (!more || !*more) co_return more;
  if (!piece.zero) {
    auto read = co_await slot.reader.read(ring, piece.guest.at, piece.extents, memory);
    if (!read) co_return failure(read);
  }
  auto written = co_await slot.writer.write(ring, piece, memory);
  if (!written) co_return failure(written);
  if (copy.plan.tuned && !piece.zero) {
    copy.tuner.record(data_bytes(piece), begun, copy.job.clock->now());
    const Tuner::Choice choice = copy.tuner.choice();
    copy.progress.request_size = choice.size;
    copy.progress.request_reason = choice.reason;
  }
  co_return true;
}

// One slot: takes pieces until there are no more.
Task<void> copy_slot(Ring& ring, Copy& copy) {
  Slot slot(copy);
  while (!copy.state.over()) {
    auto more = co_await copy_next(ring, copy, slot);
    if (more && !*more) break;
    if (!more) {
      copy.state.fail(std::move(more.error()));
      copy.turnstile.abandon();
    }
  }
}

// The hole that the last piece left open.
Task<void> zero_rest(Ring& ring, Copy& copy, Range range) {
  auto done = co_await copy.zeroing.zero(ring, range, copy.progress.zeroed);
  if (!done) copy.state.fail(std::move(done.error()));
}

}  // namespace

Result<void> copy(const CopyJob& job, Progress& progress, const Stop& stop) {
  progress.total = job.source->size();
  progress.phase = Phase::write;
  Copy copy(job, plan_copy(job), progress, stop);
  progress.request_size = copy.plan.piece_size;
  run_workers(copy.plan, copy.state, [&](Ring& ring) { return copy_slot(ring, copy); });
  if (auto done = copy.state.result("copy"); !done) return done;
  if (const std::optional<Range> rest = copy.joiner.rest()) {
    const Plan one{.workers = 1, .slots_per_worker = 1, .ring = copy.plan.ring};
    run_workers(one, copy.state, [&](Ring& ring) { return zero_rest(ring, copy, *rest); });
    if (auto done = copy.state.result("copy"); !done) return done;
  }

  progress.phase = Phase::flush;
  if (auto finished = job.writer->finish(job.durable); !finished) return finished;
  progress.flushed = progress.position();
  return {};
}

}  // namespace disklathe
