// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_writer.h"

#include <algorithm>
#include <cstring>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

constexpr uint32_t page_size = 4096;

// Zeroes are looked for at this granularity: the target's unit, or 4 KiB where it has none (never below what direct I/O
// can write).
uint32_t scan_block(const CopyJob& job) {
  if (job.writer->unit() > 1) return job.writer->unit();
  const uint32_t wanted = std::min(job.sparse_size == 0 ? page_size : std::bit_floor(job.sparse_size), page_size);
  return std::max(wanted, job.target[0]->limits().offset_align);
}

}  // namespace

PieceWriter::PieceWriter(const CopyJob& job, ZeroStrategy& zeroing, ZeroJoiner& joiner, Turnstile& turnstile,
                         Progress& progress, uint64_t piece_size)
    : job_(job),
      zeroing_(zeroing),
      joiner_(joiner),
      turnstile_(turnstile),
      progress_(progress),
      block_(scan_block(job)) {
  if (job.writer->encodes()) {
    encoded_ = AlignedBuffer(divide_up(piece_size, job.writer->unit()) * job.writer->encode_room(), page_size);
  }
}

Task<Result<void>> PieceWriter::write(Ring& ring, const Piece& piece, MutableBytes memory) {
  placements_.clear();
  sources_.clear();
  to_zero_.clear();
  encoded_used_ = 0;
  runs_.clear();
  if (piece.zero) {
    runs_.push_back({piece.guest, true});
  } else {
    find_runs(piece, memory, block_, job_.sparse_size, runs_);
    if (!job_.target_is_zero) fold_holes(piece, memory, zeroing_.fold_below(), runs_);
  }
  for (const Run& run : runs_) {
    if (run.zero) continue;
    if (auto placed = place_data(run.guest, memory, piece.guest.at); !placed) co_return failure(placed);
  }
  if (auto taken = co_await take_places(ring, piece); !taken) co_return failure(taken);
  if (auto written = co_await write_placed(ring); !written) co_return failure(written);
  co_return co_await make_zero(ring, piece.index);
}

// Prepares the placements of one run of data.
Result<void> PieceWriter::place_data(Range guest, MutableBytes memory, uint64_t memory_at) {
  if (!job_.writer->encodes()) {
    const uint64_t boundary = job_.writer->boundary();
    for (uint64_t at = guest.at; at < guest.end();) {
      const uint64_t end = boundary ? std::min(guest.end(), round_down(at, boundary) + boundary) : guest.end();
      placements_.push_back({.guest = Range::between(at, end), .stored = end - at});
      sources_.push_back(memory.data() + (at - memory_at));
      at = end;
    }
    return {};
  }
  const uint32_t unit = job_.writer->unit();
  for (uint64_t at = guest.at; at < guest.end(); at += unit) {
    const Range one = Range::between(at, std::min(at + unit, guest.end()));
    if (auto encoded = encode_unit(one, memory.subspan(at - memory_at)); !encoded) return failure(encoded);
  }
  return {};
}

// memory[0] is the unit's first byte; the disk may end inside the unit, the memory does not.
Result<void> PieceWriter::encode_unit(Range guest, MutableBytes memory) {
  const uint32_t unit = job_.writer->unit();
  if (guest.length < unit) std::memset(memory.data() + guest.length, 0, unit - guest.length);
  const MutableBytes out = encoded_.bytes().subspan(encoded_used_);
  auto size = job_.writer->encode(guest.at, memory.first(unit), out);
  if (!size) return failure(size);
  if (*size == 0) {
    placements_.push_back({.guest = guest, .stored = guest.length});
    sources_.push_back(memory.data());
  } else {
    placements_.push_back({.guest = guest, .stored = *size, .encoded = true});
    sources_.push_back(out.data());
    encoded_used_ += *size;
  }
  return {};
}

// In guest order across all slots, unless the writer does not care.
Task<Result<void>> PieceWriter::take_places(Ring& ring, const Piece& piece) {
  const bool ordered = job_.writer->wants_order();
  if (ordered && !co_await turnstile_.enter(ring, piece.index)) {
    co_return failure(ErrorKind::stopped, "write", "another slot failed");
  }
  if (!placements_.empty()) {
    if (auto placed = job_.writer->place(placements_); !placed) co_return failure(placed);
  }
  for (const Run& run : runs_) {
    if (!run.zero) continue;
    auto range = job_.writer->place_zero(run.guest);
    if (!range) co_return failure(range);
    if (*range && !job_.target_is_zero) {
      to_zero_.push_back(**range);
    } else {
      progress_.skipped += run.guest.length;
    }
  }
  if (ordered) turnstile_.leave();
  co_return Result<void>{};
}

// Writes to a target that also has to be zeroed are measured against that.
Task<Result<void>> PieceWriter::store(Ring& ring, uint16_t file, uint64_t at, std::span<const iovec> vectors) {
  BlockDevice& target = *job_.target[file];
  const bool priced = file == 0 && !job_.target_is_zero;
  auto stored = priced ? co_await zeroing_.write(ring, at, vectors) : co_await target.writev(ring, at, vectors);
  if (stored && job_.durable) target.begin_flush({at, length_of(vectors)});
  co_return stored;
}

// Placements that adjoin in the target become one request with permuted vectors.
Task<Result<void>> PieceWriter::write_placed(Ring& ring) {
  struct Request {
    uint16_t file;
    uint64_t at;
    size_t first_vector, vector_count;
  };
  std::vector<Request> requests;
  vectors_.clear();
  uint64_t end = 0, bytes = 0;
  for (size_t i = 0; i < placements_.size(); ++i) {
    const Placement& placement = placements_[i];
    if (requests.empty() || requests.back().file != placement.file || end != placement.host) {
      requests.push_back({placement.file, placement.host, vectors_.size(), 0});
    }
    Request& request = requests.back();
    const bool adjoins = request.vector_count > 0 &&
                         static_cast<std::byte*>(vectors_.back().iov_base) + vectors_.back().iov_len == sources_[i];
    if (adjoins) {
      vectors_.back().iov_len += placement.stored;
    } else {
      vectors_.push_back({sources_[i], placement.stored});
      ++request.vector_count;
    }
    end = placement.host + placement.stored;
    bytes += placement.guest.length;
  }
  progress_.submitted += bytes;
  const std::span<const iovec> vectors(vectors_);
  Result<void> done;
  if (requests.size() == 1) {
    done = co_await store(ring, requests[0].file, requests[0].at, vectors);
  } else if (!requests.empty()) {
    std::vector<Task<Result<void>>> tasks;
    tasks.reserve(requests.size());
    for (const Request& request : requests) {
      tasks.push_back(
          store(ring, request.file, request.at, vectors.subspan(request.first_vector, request.vector_count)));
    }
    done = co_await when_all(std::move(tasks));
  }
  if (done) progress_.completed += bytes;
  co_return done;
}

Task<Result<void>> PieceWriter::make_zero(Ring& ring, uint64_t index) {
  joiner_.report(index, to_zero_);
  for (const Range& range : to_zero_) {
    auto done = co_await zeroing_.zero(ring, range, progress_.zeroed);
    if (!done) co_return failure(done);
  }
  co_return Result<void>{};
}

}  // namespace disklathe
