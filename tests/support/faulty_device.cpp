// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/faulty_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace disklathe::test {
namespace {

std::vector<std::byte> gathered(std::span<const iovec> vectors) {
  std::vector<std::byte> bytes;
  for (const iovec& vector : vectors) {
    const auto* start = static_cast<const std::byte*>(vector.iov_base);
    bytes.insert(bytes.end(), start, start + vector.iov_len);
  }
  return bytes;
}

Task<Result<void>> failed(Result<void> result) { co_return result; }

}  // namespace

size_t FaultyDevice::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

size_t FaultyDevice::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

size_t FaultyDevice::flushes() const {
  const std::lock_guard lock(mutex_);
  return flushes_;
}

std::vector<FaultyDevice::Change> FaultyDevice::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

Result<void> FaultyDevice::touched(std::string_view operation, Range range) const {
  if (!bad_offset_ || !range.contains(bad_offset_->first)) return {};
  return failure(os_failure(bad_offset_->second, operation, name(), bad_offset_->first));
}

Result<void> FaultyDevice::before_read(Range range) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  if (!powered_) return failure(os_failure(ENODEV, "read", name(), range.at));
  if (reads_ == read_fault_.k) return failure(os_failure(read_fault_.os_error, "read", name(), range.at));
  return touched("read", range);
}

Result<void> FaultyDevice::before_write(Change change) {
  const std::lock_guard lock(mutex_);
  ++writes_;
  if (power_for_ && writes_ > *power_for_) powered_ = false;
  if (!powered_) return failure(os_failure(ENODEV, "write", name(), change.at));
  if (writes_ == write_fault_.k) return failure(os_failure(write_fault_.os_error, "write", name(), change.at));
  if (Result<void> bad = touched("write", {change.at, change.length}); !bad) return bad;
  if (keep_changes_) {
    change.flushes_before = complete_flushes_;
    changes_.push_back(std::move(change));
  }
  return {};
}

Result<void> FaultyDevice::before_flush() {
  const std::lock_guard lock(mutex_);
  ++flushes_;
  if (!powered_) return failure(os_failure(ENODEV, "flush", name()));
  if (flushes_ == flush_fault_.k) return failure(os_failure(flush_fault_.os_error, "flush", name()));
  return {};
}

void FaultyDevice::after_flush(const Result<void>& result) {
  const std::lock_guard lock(mutex_);
  if (result) ++complete_flushes_;
}

Task<Result<void>> FaultyDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  if (Result<void> fault = before_read({at, length_of(vectors)}); !fault) return failed(std::move(fault));
  return inner_.readv(ring, at, vectors);
}

Task<Result<void>> FaultyDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  Change change{.at = at, .length = length_of(vectors), .bytes = gathered(vectors)};
  if (Result<void> fault = before_write(std::move(change)); !fault) return failed(std::move(fault));
  return inner_.writev(ring, at, vectors);
}

Task<Result<void>> FaultyDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  Change change{.kind = Change::Kind::zero, .at = range.at, .length = range.length};
  if (Result<void> fault = before_write(std::move(change)); !fault) return failed(std::move(fault));
  return inner_.zero(ring, range, method);
}

Task<Result<void>> FaultyDevice::flush(Ring& ring) {
  Result<void> result = before_flush();
  if (result) result = co_await inner_.flush(ring);
  after_flush(result);
  co_return result;
}

Result<void> FaultyDevice::read_now(uint64_t at, MutableBytes into) {
  if (Result<void> fault = before_read({at, into.size()}); !fault) return fault;
  return inner_.read_now(at, into);
}

Result<void> FaultyDevice::write_now(uint64_t at, Bytes from) {
  Change change{.at = at, .length = from.size(), .bytes = {from.begin(), from.end()}};
  if (Result<void> fault = before_write(std::move(change)); !fault) return fault;
  return inner_.write_now(at, from);
}

Result<void> FaultyDevice::flush_now() {
  Result<void> result = before_flush();
  if (result) result = inner_.flush_now();
  after_flush(result);
  return result;
}

Result<void> FaultyDevice::resize(uint64_t size) {
  if (Result<void> fault = before_write({.kind = Change::Kind::resize, .at = size}); !fault) return fault;
  return inner_.resize(size);
}

std::vector<std::byte> content_after_power_cut(std::vector<std::byte> initial,
                                               std::span<const FaultyDevice::Change> changes, size_t until,
                                               const std::function<bool(size_t change)>& survives) {
  changes = changes.first(std::min(until, changes.size()));
  const size_t flushed = changes.empty() ? 0 : changes.back().flushes_before;
  for (size_t i = 0; i < changes.size(); ++i) {
    const FaultyDevice::Change& change = changes[i];
    if (change.flushes_before >= flushed && !survives(i)) continue;
    if (change.kind == FaultyDevice::Change::Kind::resize) {
      initial.resize(change.at);
      continue;
    }
    if (initial.size() < change.at + change.length) initial.resize(change.at + change.length);
    const auto place = initial.begin() + static_cast<std::ptrdiff_t>(change.at);
    if (change.kind == FaultyDevice::Change::Kind::zero)
      std::fill_n(place, change.length, std::byte{0});
    else
      std::ranges::copy(change.bytes, place);
  }
  return initial;
}

}  // namespace disklathe::test
