// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/checksum.h"

#include <optional>

#include "core/engine/digest_line.h"
#include "core/engine/piece_cutter.h"
#include "core/engine/piece_reader.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"
#include "core/io/buffer_pool.h"
#include "core/stream/source.h"

namespace disklathe {
namespace {

// Pieces that wait for the digests. What is read further ahead has left the processor's cache when its turn comes.
constexpr uint64_t pieces_ahead = 4;

struct Run {
  const ChecksumRequest& request;
  const Plan plan;
  Progress& progress;
  JobState state;
  BufferPool buffers;
  std::optional<PieceCutter> cutter;  // of an image
  uint64_t end = 0;                   // of what a stream has given
  // The slowest first; they give their leases back before the pool goes.
  std::optional<DigestLine> sha256, xxh128;

  Run(const ChecksumRequest& asked, std::unique_ptr<Digest> sha, const Plan& how, Progress& told, const Stop& stop)
      : request(asked),
        plan(how),
        progress(told),
        state(stop),
        buffers(plan.piece_size, request.source ? request.source->file(0).limits().opt_mem_align : 1, plan.budget) {
    if (request.source) cutter.emplace(*request.source);
    using By = DigestLine::By;
    if (sha) sha256.emplace(std::move(sha), By::own_thread, state, &progress.verified);
    if (request.xxh128) xxh128.emplace(make_xxh128(), By::bringer, state, sha256 ? nullptr : &progress.verified);
  }

  void put(uint64_t index, std::shared_ptr<const DiskPart> part) {
    if (sha256) sha256->put(index, part);
    if (xxh128) xxh128->put(index, std::move(part));
  }

  // A piece that failed leaves a gap, which those behind it would wait at.
  void abandon() {
    if (sha256) sha256->abandon();
    if (xxh128) xxh128->abandon();
  }
};

Plan plan_of(const ChecksumRequest& request) {
  PlanRequest wanted;
  if (request.source) {
    wanted.queued = wants_queue(*request.source);
    wanted.computes = has_compression(*request.source);
    wanted.unit = request.source->decode_unit();
    wanted.buffers = wanted.computes ? 3 : 1;
  }
  Plan plan = make_plan(wanted);
  plan.most_piece_size = plan.piece_size;
  plan.tuned = false;
  // One thread reads faster than SHA-256 is taken, and a stream is read by one.
  if (request.stream || (request.sha256 && !wanted.computes)) plan.workers = 1;
  if (request.stream) plan.slots_per_worker = 1;
  plan.budget = (uint64_t{plan.workers} * plan.slots_per_worker + pieces_ahead) * plan.piece_size;
  return plan;
}

// The next piece of an image, to the digests; false when there are no more.
Task<Result<bool>> pass_piece(Ring& ring, Run& run, PieceReader& reader, Piece& piece) {
  auto lease = co_await run.buffers.lease(ring, run.plan.piece_size);
  const auto more = run.cutter->next(piece, run.plan.piece_size);
  if (!more || !*more) co_return more;
  auto part = std::make_shared<DiskPart>();
  part->length = piece.guest.length;
  if (!piece.zero) {
    const MutableBytes memory = lease.buffer().first(piece.guest.length);
    auto read = co_await reader.read_all(ring, piece.guest.at, piece.extents, memory);
    if (!read) co_return failure(read);
    part->bytes = memory;
    part->lease.emplace(std::move(lease));
  }
  run.put(piece.index, std::move(part));
  co_return true;
}

Task<void> pass_image(Ring& ring, Run& run) {
  PieceReader reader(*run.request.source, run.plan.piece_size);
  Piece piece;
  while (!run.state.over()) {
    auto more = co_await pass_piece(ring, run, reader, piece);
    if (more && !*more) break;
    if (!more) run.state.fail(std::move(more.error()));
  }
  if (run.state.over()) run.abandon();
}

// The same of a stream.
Task<Result<bool>> pass_next(Ring& ring, Run& run, uint64_t index) {
  stream::Source& stream = *run.request.stream;
  auto lease = co_await run.buffers.lease(ring, run.plan.piece_size);
  const MutableBytes memory = lease.buffer().first(run.plan.piece_size);
  auto made = stream.fill(memory);
  run.progress.input = stream.taken();
  run.progress.waits_for_input = false;
  if (!made) co_return failure(made);
  run.end += *made;
  if (*made == 0) co_return false;
  auto part = std::make_shared<DiskPart>();
  part->length = *made;
  part->bytes = memory.first(*made);
  part->lease.emplace(std::move(lease));
  run.put(index, std::move(part));
  co_return true;
}

Task<void> pass_stream(Ring& ring, Run& run) {
  for (uint64_t index = 0; !run.state.over(); ++index) {
    auto more = co_await pass_next(ring, run, index);
    if (more && !*more) break;
    if (!more) run.state.fail(std::move(more.error()));
  }
  if (run.state.over()) run.abandon();
}

void listen_while_waiting(Run& run) {
  run.request.stream->halt_when([&run] {
    run.progress.waits_for_input = true;
    return run.state.over();
  });
}

}  // namespace

Result<Checksums> checksum(const ChecksumRequest& request, Progress& progress, const Stop& stop) {
  const std::optional<uint64_t> size = request.source ? request.source->size() : request.stream->size();
  progress.total = size.value_or(0);
  progress.total_known = size.has_value();
  progress.input_total = request.stream ? request.stream->stored_size().value_or(0) : 0;
  progress.phase = Phase::verify;
  Result<std::unique_ptr<Digest>> sha;
  if (request.sha256) sha = make_sha256();
  if (!sha) return failure(sha);
  Run run(request, std::move(*sha), plan_of(request), progress, stop);
  if (request.stream) listen_while_waiting(run);
  run_workers(run.plan, run.state,
              [&](Ring& ring) { return request.stream ? pass_stream(ring, run) : pass_image(ring, run); });
  if (request.stream) {
    request.stream->halt_when({});
    progress.total = run.end;
    progress.total_known = true;
  }
  Checksums sums{.size = progress.total};
  if (run.sha256) sums.sha256 = run.sha256->finish();
  if (run.xxh128) sums.xxh128 = run.xxh128->finish();
  if (auto done = run.state.result("checksum"); !done) return failure(done);
  return sums;
}

}  // namespace disklathe
