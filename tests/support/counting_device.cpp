// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/counting_device.h"

#include <algorithm>

namespace disklathe::test {
namespace {

uint64_t sum(const std::vector<Range>& ranges) {
  uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.length;
  return bytes;
}

}  // namespace

std::vector<Range> CountingDevice::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

std::vector<Range> CountingDevice::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::vector<CountingDevice::Zeroed> CountingDevice::zeroes() const {
  const std::lock_guard lock(mutex_);
  return zeroes_;
}

std::vector<Range> CountingDevice::begun_flushes() const {
  const std::lock_guard lock(mutex_);
  return begun_flushes_;
}

size_t CountingDevice::flushes() const {
  const std::lock_guard lock(mutex_);
  return flushes_;
}

size_t CountingDevice::looks() const {
  const std::lock_guard lock(mutex_);
  return looks_;
}

uint64_t CountingDevice::bytes_read() const { return sum(reads()); }
uint64_t CountingDevice::bytes_written() const { return sum(writes()); }

size_t CountingDevice::most_in_flight() const {
  const std::lock_guard lock(mutex_);
  return most_in_flight_;
}

void CountingDevice::forget() {
  const std::lock_guard lock(mutex_);
  reads_.clear();
  writes_.clear();
  zeroes_.clear();
  begun_flushes_.clear();
  flushes_ = looks_ = most_in_flight_ = 0;
}

Task<Result<void>> CountingDevice::counted(Task<Result<void>> request) {
  {
    const std::lock_guard lock(mutex_);
    most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
  }
  Result<void> result = co_await request;
  const std::lock_guard lock(mutex_);
  --in_flight_;
  co_return result;
}

Task<Result<void>> CountingDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  {
    const std::lock_guard lock(mutex_);
    reads_.push_back({at, length_of(vectors)});
  }
  return counted(inner_.readv(ring, at, vectors));
}

Task<Result<void>> CountingDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  {
    const std::lock_guard lock(mutex_);
    writes_.push_back({at, length_of(vectors)});
  }
  return counted(inner_.writev(ring, at, vectors));
}

Task<Result<void>> CountingDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  {
    const std::lock_guard lock(mutex_);
    zeroes_.push_back({range, method});
  }
  return counted(inner_.zero(ring, range, method));
}

Task<Result<void>> CountingDevice::flush(Ring& ring) {
  {
    const std::lock_guard lock(mutex_);
    ++flushes_;
  }
  return inner_.flush(ring);
}

Result<void> CountingDevice::read_now(uint64_t at, MutableBytes into) {
  {
    const std::lock_guard lock(mutex_);
    reads_.push_back({at, into.size()});
  }
  return inner_.read_now(at, into);
}

Result<void> CountingDevice::write_now(uint64_t at, Bytes from) {
  {
    const std::lock_guard lock(mutex_);
    writes_.push_back({at, from.size()});
  }
  return inner_.write_now(at, from);
}

void CountingDevice::begin_flush(Range range) {
  {
    const std::lock_guard lock(mutex_);
    begun_flushes_.push_back(range);
  }
  inner_.begin_flush(range);
}

Result<void> CountingDevice::flush_now() {
  {
    const std::lock_guard lock(mutex_);
    ++flushes_;
  }
  return inner_.flush_now();
}

Result<Allocation> CountingDevice::allocation(uint64_t at) {
  {
    const std::lock_guard lock(mutex_);
    ++looks_;
  }
  return inner_.allocation(at);
}

}  // namespace disklathe::test
