// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/stream_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

// A file grows by this much at a time: each step takes the file's lock.
constexpr uint64_t growth = 64 << 20;

void tell(Progress& progress, const stream::Source& stream) {
  progress.input = stream.taken();
  progress.waits_for_input = false;
}

}  // namespace

StreamPieces::StreamPieces(const CopyJob& job, const Plan& plan, Progress& progress, JobState& state)
    : job_(job),
      stream_(*job.stream),
      plan_(plan),
      progress_(progress),
      state_(state),
      buffers_(plan.piece_size, job.target[0]->limits().opt_mem_align, plan.budget),
      room_(job.disk_size.value_or(0)) {
  stream_.halt_when(
      [&progress, &state] {
        progress.waits_for_input = true;
        return state.over();
      },
      state.stop_descriptor());
  thread_ = std::jthread([this] { work(); });
}

StreamPieces::~StreamPieces() {
  queue_.abandon();
  thread_.join();
  stream_.halt_when({});
}

void StreamPieces::work() {
  auto ring = Ring::create(RingKind::immediate);
  if (!ring) {
    state_.fail(std::move(ring.error()));
  } else {
    (*ring)->spawn(read_ahead(**ring));
    (*ring)->run();
  }
  queue_.close();
}

Task<void> StreamPieces::read_ahead(Ring& ring) {
  for (uint64_t index = 0; !state_.over(); ++index) {
    auto lease = co_await buffers_.lease(ring, plan_.piece_size);
    Piece piece{.index = index, .guest = {index * plan_.piece_size, 0}};
    auto more = fill(piece, lease.buffer().first(plan_.piece_size));
    if (!more) state_.fail(std::move(more.error()));
    if (!more || !*more) co_return;
    queue_.put({std::move(piece), std::move(lease)});
  }
}

Result<bool> StreamPieces::fill(Piece& piece, MutableBytes memory) {
  const auto made = stream_.fill(memory);
  tell(progress_, stream_);
  if (!made) return std::unexpected(made.error());
  if (*made == 0) {
    if (auto finished = finish(); !finished) return failure(finished);
    return false;
  }
  end_ = piece.guest.at + *made;
  if (auto room = make_room(); !room) return failure(room);
  if (job_.digests) job_.digests->add(memory.first(*made));
  // A disk that is larger than the stream goes on with zeroes; its writer wants whole units of it.
  const uint64_t whole = std::min(round_up(*made, job_.writer->unit()), room_ - piece.guest.at);
  std::ranges::fill(memory.subspan(*made, whole - *made), std::byte{0});
  piece.guest.length = whole;
  piece.extents = {{.kind = Extent::Kind::data, .guest = piece.guest, .file = 0, .host = piece.guest}};
  return true;
}

Result<void> StreamPieces::make_room() {
  if (end_ <= room_) return {};
  if (job_.disk_size) {
    return failure(ErrorKind::no_space, "write", fmt::format("the image is larger than its {} bytes", room_), room_);
  }
  room_ = round_up(end_, growth);
  auto grown = job_.writer->set_size(room_);
  if (grown) return grown;
  // Some file systems have a limit just behind what is needed.
  room_ = end_;
  return job_.writer->set_size(room_);
}

Result<void> StreamPieces::finish() {
  if (!job_.disk_size) {
    if (auto sized = job_.writer->set_size(end_); !sized) return sized;
  }
  if (job_.digests) job_.digests->finish();
  progress_.total = end_;
  progress_.total_known = true;
  return {};
}

class StreamPieces::Slot final : public PieceSource {
 public:
  explicit Slot(PieceQueue& queue) : queue_(queue) {}

  Task<Result<std::optional<BufferPool::Lease>>> next(Ring& ring, Piece& piece) override {
    auto filled = co_await queue_.take(ring);
    if (!filled) co_return std::nullopt;
    piece = std::move(filled->piece);
    co_return std::optional<BufferPool::Lease>(std::move(filled->lease));
  }

  void written(const Piece&) override {}

 private:
  PieceQueue& queue_;
};

std::unique_ptr<PieceSource> StreamPieces::source_for_slot() { return std::make_unique<Slot>(queue_); }

Result<uint64_t> measure(stream::Source& stream, Progress& progress, const Stop& stop) {
  progress.total_known = false;
  progress.input_total = stream.stored_size().value_or(0);
  progress.phase = Phase::measure;
  AlignedBuffer buffer(1 << 20, 1);
  uint64_t size = 0;
  while (true) {
    stop.wait_while_paused();
    if (stop.requested()) return failure(ErrorKind::stopped, "decode", "stopped on request");
    const auto made = stream.fill(buffer.bytes());
    tell(progress, stream);
    if (!made) return std::unexpected(made.error());
    if (*made == 0) break;
    size += *made;
  }
  progress.input = 0;
  if (auto again = stream.rewind(); !again) return failure(again);
  return size;
}

}  // namespace disklathe
