// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/copy.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/engine/image_pieces.h"
#include "core/engine/piece_writer.h"
#include "core/engine/plan.h"
#include "core/engine/stream_pieces.h"
#include "core/engine/workers.h"

namespace disklathe {
namespace {

constexpr uint64_t pieces_ahead = 8;  // of a stream, decoded before a slot is free for them

struct Copy {
  const CopyJob& job;
  const Plan plan;
  Progress& progress;
  JobState state;
  ZeroStrategy zeroing;
  ZeroJoiner joiner;
  Turnstile turnstile;
  std::unique_ptr<Pieces> pieces;

  Copy(const CopyJob& copy_job, const Plan& copy_plan, Progress& copy_progress, const Stop& stop)
      : job(copy_job),
        plan(copy_plan),
        progress(copy_progress),
        state(stop),
        zeroing(*copy_job.target[0], *copy_job.clock, stop) {
    if (job.stream) {
      pieces = std::make_unique<StreamPieces>(job, plan, progress, state);
    } else {
      pieces = std::make_unique<ImagePieces>(job, plan, progress);
    }
  }
};

Plan plan_copy(const CopyJob& job) {
  PlanRequest request;
  for (const BlockDevice* file : job.target) {
    if (file == nullptr) continue;
    request.queued |= file->io_mode() == IoMode::queued;
    request.rotating |= file->limits().rotational.value_or(false);
  }
  request.computes = job.writer->encodes();
  request.buffers = 1 + (job.writer->encodes() ? 1 : 0);
  request.worker_memory = job.writer->encode_memory();
  request.ordered = job.writer->wants_order();
  request.unit = job.writer->unit();
  request.optimal_io = job.target[0]->limits().optimal_io.value;
  if (job.source) {
    request.queued |= wants_queue(*job.source);
    request.computes |= has_compression(*job.source);
    request.buffers += has_compression(*job.source) ? 2 : 0;
    request.unit = std::max(request.unit, job.source->decode_unit());
  }
  Plan plan = make_plan(request);
  if (job.stream) {
    // What a tuner would measure is the decoder.
    plan.most_piece_size = plan.piece_size;
    plan.tuned = false;
    // Enough to keep both sides busy; what is decoded further ahead has left the processor's cache when it is written.
    plan.budget = (uint64_t{plan.workers} * plan.slots_per_worker + pieces_ahead) * plan.piece_size;
  }
  if (job.workers != 0) plan.workers = job.workers;
  if (job.slots_per_worker != 0) plan.slots_per_worker = job.slots_per_worker;
  if (job.piece_size != 0) {
    plan.piece_size = plan.most_piece_size = round_up(job.piece_size, request.unit);
    plan.tuned = false;
  }
  return plan;
}

// What one slot has of its own.
struct Slot {
  std::unique_ptr<PieceSource> source;
  PieceWriter writer;
  Piece piece;

  explicit Slot(Copy& copy)
      : source(copy.pieces->source_for_slot()),
        writer(copy.job, copy.zeroing, copy.joiner, copy.turnstile, copy.progress, copy.plan.most_piece_size) {}
};

// The next piece from its source to the target; false when there are no more.
Task<Result<bool>> copy_next(Ring& ring, Slot& slot) {
  auto lease = co_await slot.source->next(ring, slot.piece);
  if (!lease) co_return failure(lease);
  if (!*lease) co_return false;
  auto written = co_await slot.writer.write(ring, slot.piece, (*lease)->buffer().bytes());
  if (!written) co_return failure(written);
  slot.source->written(slot.piece);
  co_return true;
}

// One slot: takes pieces until there are no more.
Task<void> copy_slot(Ring& ring, Copy& copy) {
  Slot slot(copy);
  while (!copy.state.over()) {
    auto more = co_await copy_next(ring, slot);
    if (more && !*more) break;
    if (!more) {
      copy.state.fail(std::move(more.error()));
      copy.turnstile.abandon();
    }
  }
  if (copy.state.over()) copy.pieces->abandon();
}

// The hole that the last piece left open.
Task<void> zero_rest(Ring& ring, Copy& copy, Range range) {
  auto done = co_await copy.zeroing.zero(ring, range, copy.progress.zeroed);
  if (!done) copy.state.fail(std::move(done.error()));
}

}  // namespace

Result<void> copy(const CopyJob& job, Progress& progress, const Stop& stop) {
  const std::optional<uint64_t> size = job.source ? job.source->size() : job.stream->size();
  progress.total = size.value_or(0);
  progress.total_known = size.has_value();
  progress.input_total = job.stream ? job.stream->stored_size().value_or(0) : 0;
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
