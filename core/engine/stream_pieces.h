// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <thread>

#include "core/engine/copy.h"
#include "core/engine/piece_digests.h"
#include "core/engine/piece_queue.h"
#include "core/engine/piece_source.h"
#include "core/engine/plan.h"
#include "core/engine/workers.h"
#include "core/stream/source.h"

namespace disklathe {

// The pieces of a stream, decoded ahead on a thread of its own, as far as the buffers reach. That thread makes room in
// a target that grows, takes the digests, and fails the job when the stream is damaged or does not fit.
class StreamPieces final : public Pieces {
 public:
  StreamPieces(const CopyJob& job, const Plan& plan, Progress& progress, JobState& state);
  ~StreamPieces() override;

  std::unique_ptr<PieceSource> source_for_slot() override;
  void abandon() override { queue_.abandon(); }

 private:
  class Slot;

  void work();
  Task<void> read_ahead(Ring& ring);
  // False at the end.
  Result<bool> fill(Piece& piece, MutableBytes memory);
  Result<void> make_room();
  Result<void> finish();

  const CopyJob& job_;
  stream::Source& stream_;
  const Plan plan_;
  Progress& progress_;
  JobState& state_;
  BufferPool buffers_;
  PieceQueue queue_;
  uint64_t end_ = 0;  // of what was decoded
  uint64_t room_;     // bytes of the guest's disk that the target can hold now
  std::jthread thread_;
};

// Decodes all of a stream that can be rewound, to learn how large the disk is; and rewinds it.
Result<uint64_t> measure(stream::Source& stream, Progress& progress, const Stop& stop);

}  // namespace disklathe
