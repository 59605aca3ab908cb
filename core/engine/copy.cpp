// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/copy.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/engine/piece_cutter.h"
#include "core/engine/piece_reader.h"
#include "core/engine/piece_writer.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"

namespace disklathe {
namespace {

struct Copy {
  const CopyJob& job;
  const Plan plan;
  JobState state;
  PieceCutter cutter;
  ZeroStrategy zeroing;
  Turnstile turnstile;
  Progress& progress;

  Copy(const CopyJob& copy_job, const Plan& copy_plan, Progress& copy_progress, const Stop& stop)
      : job(copy_job),
        plan(copy_plan),
        state(stop),
        cutter(*copy_job.source, copy_plan.piece_size, copy_job.sparse_size == 0),
        zeroing(*copy_job.target[0], stop),
        progress(copy_progress) {
    if (job.keep_holes) cutter.leave_out_holes(*job.source->layers()[0].reader, job.writer->unit(), progress.skipped);
  }
};

Plan plan_copy(const CopyJob& job) {
  PlanRequest request;
  for (const BlockDevice* file : job.target) request.queued |= file != nullptr && file->io_mode() == IoMode::queued;
  request.queued |= wants_queue(*job.source);
  request.computes = job.writer->encodes() || has_compression(*job.source);
  request.ordered = job.writer->wants_order();
  request.unit = std::max<uint64_t>(largest_cluster(*job.source), job.writer->unit());
  Plan plan = make_plan(request);
  if (job.workers != 0) plan.workers = job.workers;
  if (job.slots_per_worker != 0) plan.slots_per_worker = job.slots_per_worker;
  if (job.piece_size != 0) plan.piece_size = round_up(job.piece_size, request.unit);
  return plan;
}

Task<Result<void>> copy_piece(Ring& ring, PieceReader& reader, PieceWriter& writer, const Piece& piece,
                              AlignedBuffer& buffer) {
  // A piece may end inside a unit at the end of the disk: the rest of the unit is the writer's to fill.
  if (!piece.zero) {
    auto read = co_await reader.read(ring, piece.guest.at, piece.extents, buffer.bytes());
    if (!read) co_return failure(read);
  }
  co_return co_await writer.write(ring, piece, buffer.bytes());
}

// One slot: takes pieces until there are no more.
Task<void> copy_slot(Ring& ring, Copy& copy) {
  PieceReader reader(*copy.job.source, copy.plan.piece_size);
  PieceWriter writer(copy.job, copy.zeroing, copy.turnstile, copy.progress, copy.plan.piece_size);
  AlignedBuffer buffer(copy.plan.piece_size, copy.job.target[0]->limits().opt_mem_align);
  Piece piece;
  while (!copy.state.over()) {
    auto more = copy.cutter.next(piece);
    if (more && !*more) break;
    Result<void> done;
    if (more) {
      done = co_await copy_piece(ring, reader, writer, piece, buffer);
    } else {
      done = failure(more);
    }
    if (!done) {
      copy.state.fail(std::move(done.error()));
      copy.turnstile.abandon();
    }
  }
}

}  // namespace

Result<void> copy(const CopyJob& job, Progress& progress, const Stop& stop) {
  progress.total = job.source->size();
  progress.phase = Phase::write;
  Copy copy(job, plan_copy(job), progress, stop);
  run_workers(copy.plan, copy.state, [&](Ring& ring) { return copy_slot(ring, copy); });
  if (auto done = copy.state.result("copy"); !done) return done;

  progress.phase = Phase::flush;
  if (auto finished = job.writer->finish(job.durable); !finished) return finished;
  progress.flushed = progress.position();
  return {};
}

}  // namespace disklathe
