// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/image_pieces.h"

#include <algorithm>

#include "core/engine/piece_reader.h"

namespace disklathe {
namespace {

constexpr uint64_t least_tuned = 64 << 10;  // bytes
constexpr uint64_t look_ahead = 16 << 20;   // how far a hole is followed beyond its piece

uint64_t data_bytes(const Piece& piece) {
  uint64_t bytes = 0;
  for (const Extent& extent : piece.extents) bytes += reads_zero(extent) ? 0 : extent.guest.length;
  return bytes;
}

}  // namespace

ImagePieces::ImagePieces(const CopyJob& job, const Plan& plan, Progress& progress)
    : image_(*job.source),
      clock_(*job.clock),
      plan_(plan),
      cutter_(*job.source, job.sparse_size == 0),
      buffers_(plan.most_piece_size, job.target[0]->limits().opt_mem_align, plan.budget),
      tuner_({.start = plan.piece_size,
              .least = std::max(least_tuned, plan.unit),
              .most = plan.most_piece_size,
              .unit = plan.unit}),
      progress_(progress) {
  if (!job.target_is_zero) cutter_.look_past_edges(look_ahead);
  if (job.keep_holes) cutter_.leave_out_holes(*image_.layers()[0].reader, job.writer->unit(), progress.skipped);
}

class ImagePieces::Source final : public PieceSource {
 public:
  explicit Source(ImagePieces& pieces) : pieces_(pieces), reader_(pieces.image_, pieces.plan_.most_piece_size) {}

  Task<Result<std::optional<BufferPool::Lease>>> next(Ring& ring, Piece& piece) override {
    const uint64_t size = pieces_.plan_.tuned ? pieces_.tuner_.choice().size : pieces_.plan_.piece_size;
    auto lease = co_await pieces_.buffers_.lease(ring, size);
    begun_ = pieces_.clock_.now();
    auto more = pieces_.cutter_.next(piece, size);
    if (!more) co_return failure(more);
    if (!*more) co_return std::nullopt;
    if (!piece.zero) {
      auto read = co_await reader_.read(ring, piece.guest.at, piece.extents, lease.buffer().bytes());
      if (!read) co_return failure(read);
    }
    co_return std::optional<BufferPool::Lease>(std::move(lease));
  }

  void written(const Piece& piece) override {
    if (!pieces_.plan_.tuned || piece.zero) return;
    pieces_.tuner_.record(data_bytes(piece), begun_, pieces_.clock_.now());
    const Tuner::Choice choice = pieces_.tuner_.choice();
    pieces_.progress_.request_size = choice.size;
    pieces_.progress_.request_reason = choice.reason;
  }

 private:
  ImagePieces& pieces_;
  PieceReader reader_;
  Tuner::Time begun_{0};
};

std::unique_ptr<PieceSource> ImagePieces::source_for_slot() { return std::make_unique<Source>(*this); }

}  // namespace disklathe
