// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify.h"

#include <algorithm>
#include <limits>

#include "core/base/arithmetic.h"
#include "core/engine/piece_cutter.h"
#include "core/engine/piece_reader.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"
#include "core/io/aligned_buffer.h"

namespace disklathe {
namespace {

constexpr uint64_t nowhere = std::numeric_limits<uint64_t>::max();
constexpr uint64_t piece_size = PieceDigests::piece_size;

struct Verification {
  Image& target;
  const PieceDigests& digests;
  Progress& progress;
  PieceCutter cutter;
  JobState state;
  std::atomic<uint64_t> first_difference{nowhere};  // index of a piece

  // The lowest wins, whichever slot was first.
  void differs(uint64_t index) {
    uint64_t known = first_difference.load();
    while (index < known && !first_difference.compare_exchange_weak(known, index)) {
    }
    state.finish();
  }
};

// Some pieces that the target says are zero.
void check_zero(Verification& verification, Range guest) {
  for (uint64_t at = guest.at; at < guest.end() && !verification.state.over(); at += piece_size) {
    if (!verification.digests.is_zero(at / piece_size)) return verification.differs(at / piece_size);
    verification.progress.verified += std::min(piece_size, guest.end() - at);
  }
}

Task<Result<void>> check_data(Ring& ring, Verification& verification, PieceReader& reader, const Piece& piece,
                              Range guest, MutableBytes memory) {
  auto read = co_await reader.read_all(ring, guest.at, piece.extents, memory);
  if (!read) co_return failure(read);
  const uint64_t index = guest.at / piece_size;
  if (!verification.digests.matches(index, memory.first(guest.length))) verification.differs(index);
  verification.progress.verified += guest.length;
  co_return Result<void>{};
}

Task<void> verify_slot(Ring& ring, Verification& verification) {
  PieceReader reader(verification.target, piece_size);
  AlignedBuffer buffer(piece_size, 1);
  const Range written{0, verification.digests.size()};
  Piece piece;
  while (!verification.state.over()) {
    auto more = verification.cutter.next(piece, piece_size);
    const Range guest = intersection(piece.guest, written);
    if (more && (!*more || guest.empty())) break;
    Result<void> done;
    if (!more) {
      done = failure(more);
    } else if (piece.zero) {
      check_zero(verification, guest);
    } else {
      done = co_await check_data(ring, verification, reader, piece, guest, buffer.bytes());
    }
    if (!done) verification.state.fail(std::move(done.error()));
  }
}

}  // namespace

Result<std::optional<Range>> verify(Image& target, const PieceDigests& digests, Progress& progress, const Stop& stop) {
  progress.total = digests.size();
  progress.phase = Phase::verify;
  if (target.size() < digests.size()) return Range{round_down(target.size(), piece_size), piece_size};
  const Plan plan = make_plan({.queued = wants_queue(target),
                               .computes = true,
                               .ordered = false,
                               .rotating = false,
                               .unit = piece_size,
                               .optimal_io = std::nullopt});
  Verification verification{.target = target,
                            .digests = digests,
                            .progress = progress,
                            .cutter = PieceCutter(target),
                            .state = JobState(stop)};
  run_workers(plan, verification.state, [&](Ring& ring) { return verify_slot(ring, verification); });
  const uint64_t found = verification.first_difference.load();
  auto done = verification.state.result("verify");
  if (found != nowhere) return intersection({found * piece_size, piece_size}, {0, digests.size()});
  if (!done) return failure(done);
  return std::nullopt;
}

}  // namespace disklathe
