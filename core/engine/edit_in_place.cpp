// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/edit_in_place.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/engine/piece_reader.h"
#include "core/io/aligned_buffer.h"

namespace disklathe {
namespace {

constexpr uint32_t page_size = 4096;
constexpr uint64_t fill_budget = 16 << 20;  // bytes of clusters that are filled up at a time
constexpr size_t together = 32;             // requests of one write that are in flight
constexpr uint64_t zeroes_at_once = 1 << 20;

// Memory that reads as zero and is never written: all its pages are the kernel's one zero page.
MutableBytes zeroes() {
  static AlignedBuffer buffer(256 << 10, page_size);
  return buffer.bytes();
}

void append_zeroes(std::vector<iovec>& vectors, uint64_t length) {
  for (uint64_t part = 0; length > 0; length -= part) {
    part = std::min<uint64_t>(length, zeroes().size());
    vectors.push_back({zeroes().data(), part});
  }
}

Task<Result<void>> write_run(BlockDevice& file, Ring& ring, uint64_t host, iovec vector) {
  co_return co_await file.writev(ring, host, {&vector, 1});
}

bool is_refusal(const Error& error) { return error.kind == ErrorKind::unsupported || error.kind == ErrorKind::invalid; }

}  // namespace

EditInPlace::EditInPlace(Image& image)
    : image_(image),
      editor_(*image.editor()),
      file_(image.file(0)),
      data_file_(image.layers()[0].file_count > 1 ? &image.file(1) : nullptr),
      unit_(editor_.unit()),
      buffers_(2 * unit_, page_size, fill_budget) {}

RangeLock::Waiting EditInPlace::lock(Ring& ring, Range guest, RangeLock::Mode mode) {
  return ranges_.lock(ring, Range::between(round_down(guest.at, unit_), round_up(guest.end(), unit_)), mode);
}

// Parts of pages of a file that is written to directly have to be written by one at a time, as with RawInPlace.
bool EditInPlace::may_share(uint64_t at, uint64_t length) const {
  const BlockDevice& file = data_file_ ? *data_file_ : file_;
  return file.io_mode() == IoMode::immediate ||
         (is_multiple(unit_, page_size) && is_multiple(at, page_size) && is_multiple(length, page_size));
}

Task<Result<void>> EditInPlace::write(Ring& ring, uint64_t at, Bytes from) {
  if (may_share(at, from.size())) {
    const auto hold = co_await lock(ring, {at, from.size()}, RangeLock::Mode::shared);
    const auto written = co_await write_where_it_is(ring, at, from);
    if (!written) co_return std::unexpected(written.error());
    if (*written) co_return Result<void>{};
  }
  const auto hold = co_await lock(ring, {at, from.size()}, RangeLock::Mode::exclusive);
  co_return co_await write_anywhere(ring, {at, from.size()}, {from.data(), at});
}

// False, and nothing was written, where some of the bytes need a new place.
Task<Result<bool>> EditInPlace::write_where_it_is(Ring& ring, uint64_t at, Bytes from) {
  std::vector<EditRun> runs;
  const uint64_t end = at + from.size();
  for (uint64_t placed = at; placed < end; placed = runs.back().guest.end()) {
    const auto run = editor_.in_place(Range::between(placed, end));
    if (!run) co_return std::unexpected(run.error());
    if (!*run) co_return false;
    runs.push_back(**run);
  }
  std::vector<Task<Result<void>>> tasks;
  for (size_t i = 0; i < runs.size(); ++i) {
    const EditRun& run = runs[i];
    const iovec vector{const_cast<std::byte*>(from.data() + (run.guest.at - at)), run.guest.length};
    tasks.push_back(write_run(image_.file(run.file), ring, run.host, vector));
    if (tasks.size() < together && i + 1 < runs.size()) continue;
    auto written = co_await when_all(std::exchange(tasks, {}));
    if (!written) co_return std::unexpected(written.error());
  }
  co_return true;
}

// With the range held by this task alone.
Task<Result<void>> EditInPlace::write_anywhere(Ring& ring, Range guest, Source source) {
  for (uint64_t at = guest.at; at < guest.end();) {
    const Range rest = Range::between(at, source.bytes ? guest.end() : std::min(guest.end(), at + zeroes_at_once));
    auto placed = editor_.in_place(rest);
    if (!placed) co_return std::unexpected(placed.error());
    if (*placed) {
      const EditRun& run = **placed;
      std::vector<iovec> vectors;
      if (source.bytes)
        vectors.push_back({const_cast<std::byte*>(source.bytes + (at - source.at)), run.guest.length});
      else
        append_zeroes(vectors, run.guest.length);
      auto written = co_await image_.file(run.file).writev(ring, run.host, vectors);
      if (!written) co_return written;
      at = run.guest.end();
      continue;
    }
    if (auto room = co_await make_room(ring); !room) co_return room;
    const auto run = editor_.allocate(rest);
    if (!run) co_return std::unexpected(run.error());
    const Range part = intersection(run->guest, rest);
    if (auto written = co_await write_anew(ring, *run, part, source); !written) {
      editor_.abandon(*run);
      co_return written;
    }
    if (auto linked = editor_.link(*run); !linked) co_return linked;
    at = part.end();
  }
  co_return Result<void>{};
}

// Writes the part, and around it what the run's clusters hold so far.
Task<Result<void>> EditInPlace::write_anew(Ring& ring, const EditRun& run, Range part, Source source) {
  Range head = Range::between(run.guest.at, part.at), tail = Range::between(part.end(), run.guest.end());
  if (run.zeroed) {
    // A place that reads as zeroes stays a hole where it has to.
    for (Range* around : {&head, &tail}) {
      const auto zero = is_zero(*around);
      if (!zero) co_return std::unexpected(zero.error());
      if (*zero) *around = {};
    }
  }
  const uint64_t filled = head.length + tail.length;
  std::optional<BufferPool::Lease> lease;
  std::vector<iovec> vectors;
  if (filled > 0) lease.emplace(co_await buffers_.lease(ring, filled));
  if (!head.empty()) {
    const MutableBytes into = lease->buffer().first(head.length);
    if (auto read = co_await fill(ring, head, into); !read) co_return read;
    vectors.push_back({into.data(), into.size()});
  }
  if (source.bytes)
    vectors.push_back({const_cast<std::byte*>(source.bytes + (part.at - source.at)), part.length});
  else
    append_zeroes(vectors, part.length);
  if (!tail.empty()) {
    const MutableBytes into = lease->buffer().first(filled).subspan(head.length);
    if (auto read = co_await fill(ring, tail, into); !read) co_return read;
    vectors.push_back({into.data(), into.size()});
  }
  const uint64_t from = head.empty() ? part.at : head.at;
  co_return co_await image_.file(run.file).writev(ring, run.host + (from - run.guest.at), vectors);
}

// What the guest's disk holds now; zeroes after its end.
Task<Result<void>> EditInPlace::fill(Ring& ring, Range guest, MutableBytes into) {
  std::ranges::fill(into, std::byte{0});
  const Range inside = intersection(guest, {0, image_.size()});
  if (inside.empty()) co_return Result<void>{};
  std::vector<Extent> extents;
  for (uint64_t at = inside.at; at < inside.end(); at = extents.back().guest.end()) {
    if (auto mapped = image_.map(Range::between(at, inside.end()), extents); !mapped) co_return mapped;
  }
  PieceReader reader(image_, std::max(inside.length, image_.decode_unit()));
  co_return co_await reader.read(ring, inside.at, extents, into.first(inside.length));
}

// As far as the images say: bytes that are stored are not looked at.
Result<bool> EditInPlace::is_zero(Range guest) {
  const Range inside = intersection(guest, {0, image_.size()});
  std::vector<Extent> extents;
  for (uint64_t at = inside.at; at < inside.end(); at = extents.back().guest.end()) {
    extents.clear();
    if (auto mapped = image_.map(Range::between(at, inside.end()), extents); !mapped) return failure(mapped);
    if (!std::ranges::all_of(extents, reads_zero)) return false;
  }
  return true;
}

Task<Result<void>> EditInPlace::zero(Ring& ring, Range range, bool keep, bool fast) {
  const auto hold = co_await lock(ring, range, RangeLock::Mode::exclusive);
  if (fast && (keep || !editor_.makes_zeroes() || (data_file_ && !data_file_->has_holes())))
    co_return failure(ErrorKind::unsupported, "zero", "it is not known to be faster than writing", range.at);
  if (keep) co_return co_await write_anywhere(ring, range, {});
  for (uint64_t at = range.at; at < range.end();) {
    if (auto room = co_await make_room(ring); !room) co_return room;
    const auto done = editor_.make_zero(Range::between(at, range.end()));
    if (!done) co_return std::unexpected(done.error());
    at += *done;
    if (*done > 0) continue;
    const uint64_t most = editor_.makes_zeroes() ? round_down(at, unit_) + unit_ : at + zeroes_at_once;
    const Range piece = Range::between(at, std::min(range.end(), most));
    const auto zero = is_zero(piece);
    if (!zero) co_return std::unexpected(zero.error());
    if (!*zero) {
      if (auto written = co_await write_anywhere(ring, piece, {}); !written) co_return written;
    }
    at = piece.end();
  }
  co_return co_await punch_data(ring, range);
}

Task<Result<void>> EditInPlace::trim(Ring& ring, Range range) {
  const auto hold = co_await lock(ring, range, RangeLock::Mode::exclusive);
  const bool to_end = range.end() == image_.size();
  const Range whole = Range::between(round_up(range.at, unit_), to_end ? range.end() : round_down(range.end(), unit_));
  for (uint64_t at = whole.at; at < whole.end();) {
    if (auto room = co_await make_room(ring); !room) co_return room;
    const auto done = editor_.make_zero(Range::between(at, whole.end()));
    if (!done) co_return std::unexpected(done.error());
    if (*done == 0) co_return Result<void>{};  // the format has no such thing
    at += *done;
  }
  co_return co_await punch_data(ring, whole);
}

// A data file, which has the guest's bytes at their offsets, is to read as zeroes by itself.
Task<Result<void>> EditInPlace::punch_data(Ring& ring, Range range) {
  if (!data_file_) co_return Result<void>{};
  const Range inside = intersection(range, {0, data_file_->size()});
  if (inside.empty()) co_return Result<void>{};
  auto done = co_await data_file_->zero(ring, inside, ZeroMethod::punch);
  if (!done && is_refusal(done.error())) done = co_await data_file_->zero(ring, inside, ZeroMethod::buffers);
  co_return done;
}

Task<Result<void>> EditInPlace::make_room(Ring& ring) {
  if (editor_.changed_bytes() <= ImageEditor::most_changed) co_return Result<void>{};
  const auto turn = co_await commits_.lock(ring, {0, 1}, RangeLock::Mode::exclusive);
  if (editor_.changed_bytes() <= ImageEditor::most_changed) co_return Result<void>{};
  co_return co_await commit(ring);
}

// Whoever comes while one is under way is served by the next, together with all who came meanwhile.
Task<Result<void>> EditInPlace::flush(Ring& ring) {
  uint64_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = ++asked_;
  }
  const auto turn = co_await commits_.lock(ring, {0, 1}, RangeLock::Mode::exclusive);
  {
    const std::scoped_lock lock(mutex_);
    if (committed_ >= number) co_return Result<void>{};
  }
  co_return co_await commit(ring);
}

// With its turn.
Task<Result<void>> EditInPlace::commit(Ring& ring) {
  uint64_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = asked_;
  }
  editor_.begin_commit();
  if (auto done = co_await commit_steps(ring); !done) {
    editor_.cancel_commit();
    co_return done;
  }
  {
    const std::scoped_lock lock(mutex_);
    committed_ = number;
  }
  const auto freed = editor_.finish_commit();
  if (!freed) co_return std::unexpected(freed.error());
  if (file_.has_holes()) {
    // What cannot be given back is kept.
    for (const Range range : *freed) (void)co_await file_.zero(ring, range, ZeroMethod::punch);
  }
  co_return editor_.reuse(*freed);
}

Task<Result<void>> EditInPlace::commit_steps(Ring& ring) {
  for (bool data_flushed = data_file_ == nullptr;; data_flushed = true) {
    const auto more = editor_.advance();
    if (!more) co_return std::unexpected(more.error());
    if (!*more) co_return Result<void>{};
    if (!data_flushed) {
      if (auto flushed = co_await data_file_->flush(ring); !flushed) co_return flushed;
    }
    if (auto flushed = co_await file_.flush(ring); !flushed) co_return flushed;
  }
}

Task<Result<void>> EditInPlace::finish(Ring& ring) {
  if (auto flushed = co_await flush(ring); !flushed) co_return flushed;
  // What was freed by that is counted down by another.
  if (auto flushed = co_await flush(ring); !flushed) co_return flushed;
  co_return editor_.cut();
}

}  // namespace disklathe
