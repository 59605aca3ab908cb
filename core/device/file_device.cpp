// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/file_device.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/arithmetic.h"
#include "core/device/file_device_state.h"
#include "core/device/scsi_transport.h"
#include "core/io/aligned_buffer.h"

namespace disklathe {
namespace {

constexpr uint64_t bounce_size = 1 << 20;
constexpr int falloc_write_zeroes = 0x80;  // FALLOC_FL_WRITE_ZEROES, which older headers do not have

// Walks through vectors, copying to or from them.
class Cursor {
 public:
  explicit Cursor(std::span<const iovec> vectors) : vectors_(vectors) {}

  void copy_to(Bytes from) {
    each(from.size(), [&](void* here, size_t done, size_t count) { std::memcpy(here, from.data() + done, count); });
  }
  void copy_from(MutableBytes to) {
    each(to.size(), [&](void* here, size_t done, size_t count) { std::memcpy(to.data() + done, here, count); });
  }

 private:
  void each(size_t size, auto&& copy) {
    for (size_t done = 0; done < size;) {
      const iovec& vector = vectors_.front();
      const size_t count = std::min(size - done, vector.iov_len - used_);
      copy(static_cast<std::byte*>(vector.iov_base) + used_, done, count);
      done += count;
      used_ += count;
      if (used_ < vector.iov_len) continue;
      vectors_ = vectors_.subspan(1);
      used_ = 0;
    }
  }

  std::span<const iovec> vectors_;
  size_t used_ = 0;  // bytes of the first vector
};

// Memory that reads as zero and is never written: all its pages are the kernel's one zero page.
MutableBytes zeroes() {
  static AlignedBuffer buffer(256 << 10, 4096);
  return buffer.bytes();
}

bool refused_as_unaligned(const Result<void>& result) { return !result && result.error().os_error == EINVAL; }

}  // namespace

FileDevice::State::Route FileDevice::State::route(uint64_t at, uint64_t length, std::span<const iovec> vectors,
                                                  uint32_t align) const {
  if (!direct.open() || !is_multiple(at, align) || !is_multiple(length, align)) return Route::buffered;
  const bool usable = std::ranges::all_of(vectors, [this](const iovec& vector) {
    return is_multiple(reinterpret_cast<uintptr_t>(vector.iov_base), limits.min_mem_align) &&
           is_multiple(vector.iov_len, limits.offset_align);
  });
  return usable ? Route::direct : Route::bounce;
}

Result<void> FileDevice::State::gate(std::string_view operation, uint64_t at, uint64_t length) const {
  const uint64_t end = size.load(std::memory_order_relaxed);
  if (at <= end && length <= end - at) return {};
  return failure(Error{.kind = ErrorKind::invalid,
                       .operation = std::string(operation),
                       .subject = name,
                       .offset = at,
                       .cause = "outside the file"});
}

Result<void> FileDevice::State::gate_write(std::string_view operation, uint64_t at, uint64_t length) const {
  if (writable) return gate(operation, at, length);
  return failure(Error{.kind = ErrorKind::invalid,
                       .operation = std::string(operation),
                       .subject = name,
                       .offset = at,
                       .cause = "opened for reading only"});
}

bool FileDevice::State::became_read_only(const Error& error) const {
  // Only a writable device was opened for writing.
  if (!block_device || !writable || error.operation == "read") return false;
  int read_only = 0;
  if (ioctl(buffered.get(), BLKROGET, &read_only) == 0 && read_only != 0) return true;
  return (error.os_error == EIO || error.os_error == EREMOTEIO) && says_write_protected(buffered.get());
}

bool FileDevice::State::vanished() const {
  if (!block_device) return false;
  const Result<uint64_t> now = current_size(buffered.get(), true, name);
  if (!now || *now == 0) return true;
  char digit = 0;
  return sysfs_size.open() && pread(sysfs_size.get(), &digit, 1, 0) < 0 && errno == ENODEV;
}

// Requests may fail a moment before the kernel has noticed that their device was pulled out.
bool FileDevice::State::vanished_after(int os_error) const {
  constexpr int looks = 10;
  for (int look = 0; look < looks; ++look) {
    if (vanished()) return true;
    if (!block_device || os_error != EIO) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::unexpected<Error> FileDevice::State::explained(Result<void>& result) const {
  result.error().subject = name;
  // A device that is gone answers ENOSPC, EIO, or an early end, as often as ENODEV.
  if (vanished_after(result.error().os_error)) {
    result.error().kind = ErrorKind::vanished;
  } else if (became_read_only(result.error())) {
    // Which it answers with EIO, EPERM or EROFS; nothing else is wrong with it.
    result.error().kind = ErrorKind::permission;
    result.error().os_error = 0;
    result.error().cause = "the device has become read-only";
  }
  return failure(result);
}

bool FileDevice::State::cache_may_be_stale() const { return block_device && direct.open(); }

// Whole pages, or the device's blocks where those are larger, are put into the page cache of a device: what it has of
// one may be older than the medium where another program read at the wrong moment, and would be written back with a
// part.
Result<void> FileDevice::State::write_buffered(uint64_t at, std::span<const iovec> vectors) {
  const uint64_t unit = write_align, end = at + length_of(vectors);
  const uint64_t from = round_down(at, unit), to = std::min(round_up(end, unit), size.load());
  if (!cache_may_be_stale() || at == end || (at == from && end == to)) {
    return write_all_now(buffered.get(), at, vectors);
  }
  const std::lock_guard one_at_a_time(page_parts);
  AlignedBuffer before(unit, unit), after(unit, unit);
  const uint64_t last = round_down(end - 1, unit);
  const auto read_unit = [&](uint64_t begin, AlignedBuffer& buffer) {
    const iovec vector{buffer.data(), std::min(unit, size - begin)};
    return read_all_now(direct.get(), begin, {&vector, 1});
  };
  if (at > from) {
    if (auto read = read_unit(from, before); !read) return read;
  }
  if (end < to) {
    if (auto read = read_unit(last, after); !read) return read;
  }
  std::vector<iovec> units{{before.data(), at - from}};
  units.insert(units.end(), vectors.begin(), vectors.end());
  units.push_back({after.data() + (end - last), to - end});
  std::erase_if(units, [](const iovec& part) { return part.iov_len == 0; });
  return write_all_now(buffered.get(), from, units);
}

Task<Result<void>> FileDevice::State::write_bounced(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  bounces.fetch_add(1, std::memory_order_relaxed);
  uint64_t left = length_of(vectors);
  AlignedBuffer bounce(std::min(left, bounce_size), limits.opt_mem_align);
  Cursor cursor(vectors);
  while (left > 0) {
    const MutableBytes part = bounce.first(std::min(left, bounce_size));
    const iovec vector{part.data(), part.size()};
    cursor.copy_from(part);
    auto written = co_await write_all(ring, queue(), at, {&vector, 1});
    if (!written) co_return failure(written);
    at += part.size();
    left -= part.size();
  }
  co_return Result<void>{};
}

// In whole units of the device around what is wanted.
Task<Result<void>> FileDevice::State::read_bounced(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  bounces.fetch_add(1, std::memory_order_relaxed);
  const uint64_t unit = limits.offset_align, end = at + length_of(vectors), last = round_up(end, unit);
  AlignedBuffer bounce(std::min(last - round_down(at, unit), bounce_size), limits.opt_mem_align);
  Cursor cursor(vectors);
  while (at < end) {
    const uint64_t from = round_down(at, unit), to = std::min(last, from + bounce_size);
    const MutableBytes part = bounce.first(to - from);
    const iovec vector{part.data(), part.size()};
    auto read = co_await read_all(ring, queue(), from, {&vector, 1});
    if (!read) co_return failure(read);
    const uint64_t until = std::min(end, to);
    cursor.copy_to(part.subspan(at - from, until - at));
    at = until;
  }
  co_return Result<void>{};
}

std::string_view FileDevice::name() const { return state_->name; }
uint64_t FileDevice::size() const { return state_->size.load(std::memory_order_relaxed); }
const Limits& FileDevice::limits() const { return state_->limits; }
IoMode FileDevice::io_mode() const { return state_->direct.open() ? state_->direct_mode : IoMode::immediate; }
void FileDevice::answer_at_once() { state_->direct_mode = IoMode::immediate; }

Task<Result<void>> FileDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  State& state = *state_;
  const uint64_t length = length_of(vectors);
  if (Result<void> inside = state.gate("read", at, length); !inside) co_return failure(inside);
  Result<void> result;
  State::Route route = state.route(at, length, vectors, state.limits.offset_align);
  if (route == State::Route::buffered && state.cache_may_be_stale() &&
      round_up(at + length, state.limits.offset_align) <= state.size) {
    route = State::Route::bounce;
  }
  if (route == State::Route::direct) result = co_await read_all(ring, state.queue(), at, vectors);
  if (route == State::Route::bounce) result = co_await state.read_bounced(ring, at, vectors);
  // The rest of a direct read that came short need not be aligned, and some file systems want more than they say.
  if (route == State::Route::buffered || refused_as_unaligned(result)) {
    result = read_all_now(state.buffered.get(), at, vectors);
  }
  if (!result) co_return state.explained(result);
  co_return Result<void>{};
}

Task<Result<void>> FileDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  State& state = *state_;
  const uint64_t length = length_of(vectors);
  if (Result<void> inside = state.gate_write("write", at, length); !inside) co_return failure(inside);
  Result<void> result;
  const State::Route route = state.route(at, length, vectors, state.write_align);
  if (route == State::Route::direct) result = co_await write_all(ring, state.queue(), at, vectors);
  if (route == State::Route::bounce) result = co_await state.write_bounced(ring, at, vectors);
  if (route == State::Route::buffered || refused_as_unaligned(result)) result = state.write_buffered(at, vectors);
  if (!result) co_return state.explained(result);
  co_return Result<void>{};
}

Task<Result<void>> FileDevice::zero_by_writing(Ring& ring, Range range) {
  constexpr uint64_t request = 1 << 20;
  const MutableBytes zero = zeroes();
  std::array<iovec, request / (256 << 10) + 1> vectors;
  while (!range.empty()) {
    // Up to a multiple of the request's size, so that what follows an odd start is aligned.
    const uint64_t length = std::min(range.length, request - range.at % request);
    size_t count = 0;
    for (uint64_t left = length; left > 0; ++count) {
      vectors[count] = {zero.data(), std::min<uint64_t>(left, zero.size())};
      left -= vectors[count].iov_len;
    }
    Result<void> result = co_await writev(ring, range.at, std::span(vectors).first(count));
    if (!result) co_return failure(result);
    range = Range::between(range.at + length, range.end());
  }
  co_return Result<void>{};
}

Task<Result<void>> FileDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  State& state = *state_;
  if (Result<void> inside = state.gate_write("zero", range.at, range.length); !inside) co_return failure(inside);
  if (method == ZeroMethod::buffers) co_return co_await zero_by_writing(ring, range);
  // The kernel would write the zeroes itself, in one call that nothing can stop or measure.
  if (state.block_device && method == ZeroMethod::write_zeroes && !state.limits.max_write_zeroes.value) {
    co_return failure(os_failure(EOPNOTSUPP, "zero", state.name, range.at));
  }

  // A device's commands take whole blocks; the edges are written.
  const uint64_t unit = state.block_device ? state.limits.logical_block.value.value_or(4096) : 1;
  const Range body = Range::between(round_up(range.at, unit), round_down(range.end(), unit));
  if (body.empty()) co_return co_await zero_by_writing(ring, range);
  for (const Range edge : {Range::between(range.at, body.at), Range::between(body.end(), range.end())}) {
    if (Result<void> result = co_await zero_by_writing(ring, edge); !result) co_return failure(result);
  }
  int flags = method == ZeroMethod::punch ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : FALLOC_FL_ZERO_RANGE;
  // Only devices that unmap and yet promise zeroes take this one, and only they report that limit (Linux 6.17).
  if (method == ZeroMethod::write_zeroes && state.block_device && state.limits.max_write_zeroes_unmap.value) {
    flags = falloc_write_zeroes;
  }
  int64_t done = 0;
  do {
    done = co_await ring.perform(state.allocator(),
                                 {.op = IoOp::allocate, .at = body.at, .length = body.length, .flags = flags});
  } while (done == -EINTR);
  if (done == 0) co_return Result<void>{};
  Result<void> result = failure(os_failure(static_cast<int>(-done), "zero", state.name, body.at));
  co_return state.explained(result);
}

Task<Result<void>> FileDevice::flush(Ring& ring) {
  if (state_->cache == CacheMode::unsafe) co_return Result<void>{};
  int64_t done = 0;
  do {
    done = co_await ring.perform(state_->control(), {.op = IoOp::sync_data});
  } while (done == -EINTR);
  co_return flushed(static_cast<int>(-done));
}

// The page cache would keep it until the flush, and the medium idle until then. What fails here, flush() reports.
void FileDevice::begin_flush(Range range) {
  if (state_->cache == CacheMode::unsafe || state_->direct.open()) return;
  (void)sync_file_range(state_->buffered.get(), static_cast<off_t>(range.at), static_cast<off_t>(range.length),
                        SYNC_FILE_RANGE_WRITE);
}

Result<void> FileDevice::flush_now() {
  if (state_->cache == CacheMode::unsafe) return {};
  int error = 0;
  do {
    error = fdatasync(state_->buffered.get()) == 0 ? 0 : errno;
  } while (error == EINTR);
  return flushed(error);
}

// Both descriptors are one file to fdatasync(): it writes the file's dirty pages back and empties the device's cache.
Result<void> FileDevice::flushed(int os_error) {
  State& state = *state_;
  int none = 0;
  if (os_error != 0) state.flush_error.compare_exchange_strong(none, os_error);
  if (const int error = state.flush_error; error != 0) {
    Result<void> result = failure(os_failure(error, "flush", state.name));
    return state.explained(result);
  }
  // Where a large folio spans both kinds of writes, pages next to a buffered one may be older than the medium.
  if (state.direct.open() && state.writable) drop_cache();
  return {};
}

Result<void> FileDevice::read_now(uint64_t at, MutableBytes into) {
  if (Result<void> inside = state_->gate("read", at, into.size()); !inside) return inside;
  const iovec vector{into.data(), into.size()};
  Result<void> result = read_all_now(state_->buffered.get(), at, {&vector, 1});
  if (!result) return state_->explained(result);
  return {};
}

Result<void> FileDevice::write_now(uint64_t at, Bytes from) {
  if (Result<void> inside = state_->gate_write("write", at, from.size()); !inside) return inside;
  const iovec vector{const_cast<std::byte*>(from.data()), from.size()};
  Result<void> result = state_->write_buffered(at, {&vector, 1});
  if (!result) return state_->explained(result);
  return {};
}

Result<Allocation> FileDevice::allocation(uint64_t at) {
  State& state = *state_;
  const uint64_t end = size();
  if (at >= end) return failure(state.gate("map", at, 1).error());
  const Allocation all_data{.range = Range::between(at, end), .data = true};
  if (state.block_device) return all_data;

  // lseek() moves the offset that all share, but nothing here reads from that offset.
  const off_t data = lseek(state.buffered.get(), static_cast<off_t>(at), SEEK_DATA);
  if (data < 0 && errno == EINVAL) return all_data;
  if (data < 0 && errno != ENXIO) return failure(os_failure(errno, "map", state.name, at));
  if (data < 0 || static_cast<uint64_t>(data) > at) {
    // No data up to the end: of the file, if it still is as long as it was. A hole past a new end would be a lie.
    const uint64_t next = data < 0 ? end : static_cast<uint64_t>(data);
    Result<uint64_t> now = current_size(state.buffered.get(), false, state.name);
    if (!now) return failure(now);
    if (*now < std::min(next, end)) return failure(changed_error("it was truncated", *now));
    return Allocation{.range = Range::between(at, std::min(next, end)), .data = false};
  }
  const off_t hole = lseek(state.buffered.get(), static_cast<off_t>(at), SEEK_HOLE);
  if (hole < 0 && errno == ENXIO) return failure(changed_error("it was truncated", at));
  if (hole < 0) return failure(os_failure(errno, "map", state.name, at));
  if (static_cast<uint64_t>(hole) <= at) return all_data;  // it became a hole between the two calls: read it
  return Allocation{.range = Range::between(at, std::min(static_cast<uint64_t>(hole), end)), .data = true};
}

Result<void> FileDevice::allocate_now(Range range) {
  State& state = *state_;
  if (state.block_device) return failure(os_failure(EOPNOTSUPP, "allocate", state.name));
  if (!state.writable) return failure(state.gate_write("allocate", range.at, 0).error());
  const std::optional<uint64_t> end = checked_add(range.at, range.length);
  if (!end || *end > INT64_MAX) return failure(os_failure(EFBIG, "allocate", state.name, range.at));
  if (range.empty()) return {};
  int error = 0;
  do {
    error = fallocate(state.buffered.get(), 0, static_cast<off_t>(range.at), static_cast<off_t>(range.length)) == 0
                ? 0
                : errno;
  } while (error == EINTR);
  if (error != 0) return failure(os_failure(error, "allocate", state.name, range.at));
  uint64_t size = state.size;
  while (size < *end && !state.size.compare_exchange_weak(size, *end)) continue;
  return {};
}

Result<void> FileDevice::resize(uint64_t size) {
  State& state = *state_;
  if (state.block_device) return failure(os_failure(EOPNOTSUPP, "resize", state.name));
  if (!state.writable) return failure(state.gate_write("resize", size, 0).error());
  if (size > INT64_MAX) return failure(os_failure(EFBIG, "resize", state.name));
  int result = 0;
  do {
    result = ftruncate(state.buffered.get(), static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) return failure(os_failure(errno, "resize", state.name));
  state.size = size;
  return {};
}

Result<void> FileDevice::discard_now(Range range) {
  State& state = *state_;
  if (Result<void> inside = state.gate_write("discard", range.at, range.length); !inside) return inside;
  std::array<uint64_t, 2> bounds{range.at, range.length};
  if (!state.block_device) return failure(os_failure(EOPNOTSUPP, "discard", state.name, range.at));
  if (ioctl(state.buffered.get(), BLKDISCARD, bounds.data()) == 0) return {};
  Result<void> result = failure(os_failure(errno, "discard", state.name, range.at));
  return state.explained(result);
}

bool FileDevice::is_block_device() const { return state_->block_device; }

std::optional<uint64_t> FileDevice::allocated_bytes() const {
  struct stat status{};
  if (state_->block_device || fstat(state_->buffered.get(), &status) != 0) return std::nullopt;
  return static_cast<uint64_t>(status.st_blocks) * 512;
}

Error FileDevice::changed_error(std::string cause, std::optional<uint64_t> offset) const {
  return {.kind = ErrorKind::changed,
          .operation = "read",
          .subject = state_->name,
          .offset = offset,
          .cause = std::move(cause)};
}

Result<void> FileDevice::unchanged_since_open() const {
  const State& state = *state_;
  Result<uint64_t> now = current_size(state.buffered.get(), state.block_device, state.name);
  if (!now) return failure(now);
  if (*now != state.size) return failure(changed_error("its size is another", std::min<uint64_t>(*now, state.size)));
  struct stat status{};
  if (fstat(state.buffered.get(), &status) != 0) return failure(os_failure(errno, "read", state.name));
  const timespec& then = state.opened.st_mtim;
  // A block device's node keeps its times whatever is written to the device.
  if (!state.block_device && (status.st_mtim.tv_sec != then.tv_sec || status.st_mtim.tv_nsec != then.tv_nsec)) {
    return failure(changed_error("it was modified", std::nullopt));
  }
  return {};
}

void FileDevice::drop_cache() { (void)posix_fadvise(state_->buffered.get(), 0, 0, POSIX_FADV_DONTNEED); }

uint64_t FileDevice::bounces() const { return state_->bounces.load(std::memory_order_relaxed); }

bool FileDevice::same_file_as(const FileDevice& other) const {
  const struct stat& one = state_->opened;
  const struct stat& two = other.state_->opened;
  if (state_->block_device != other.state_->block_device) return false;
  if (state_->block_device) return one.st_rdev == two.st_rdev;
  return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

int FileDevice::descriptor() const { return state_->buffered.get(); }

}  // namespace disklathe
