// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memory_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/arithmetic.h"

namespace disklathe::test {
namespace {

constexpr uint64_t block = 4096;

struct ToTheBackOfTheLine {
  Ring& ring;
  bool skip;
  bool await_ready() const noexcept { return skip; }
  void await_suspend(std::coroutine_handle<> handle) const { ring.post(handle); }
  static void await_resume() noexcept {}
};

}  // namespace

MemoryDevice::MemoryDevice(uint64_t size, IoMode mode)
    : content_(size), data_(divide_up(size, block), false), mode_(mode) {}

MemoryDevice::MemoryDevice(std::vector<std::byte> content, IoMode mode)
    : content_(std::move(content)), data_(divide_up(content_.size(), block), true), mode_(mode) {}

uint64_t MemoryDevice::size() const {
  const std::lock_guard lock(mutex_);
  return content_.size();
}

Result<void> MemoryDevice::gate(std::string_view operation, uint64_t at, uint64_t length) const {
  if (at <= content_.size() && length <= content_.size() - at) return {};
  return failure(Error{.kind = ErrorKind::invalid,
                       .operation = std::string(operation),
                       .subject = name_,
                       .offset = at,
                       .cause = "outside the device"});
}

void MemoryDevice::mark(Range range, bool data) {
  // Punching frees whole blocks only.
  uint64_t first = data ? range.at / block : divide_up(range.at, block);
  const uint64_t end = data || range.end() == content_.size() ? divide_up(range.end(), block) : range.end() / block;
  for (; first < end; ++first) data_[first] = data;
}

Task<Result<void>> MemoryDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  co_await ToTheBackOfTheLine{ring, mode_ == IoMode::immediate};
  for (const iovec& vector : vectors) {
    Result<void> part = read_now(at, {static_cast<std::byte*>(vector.iov_base), vector.iov_len});
    if (!part) co_return failure(part);
    at += vector.iov_len;
  }
  co_return Result<void>{};
}

Task<Result<void>> MemoryDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  co_await ToTheBackOfTheLine{ring, mode_ == IoMode::immediate};
  for (const iovec& vector : vectors) {
    Result<void> part = write_now(at, {static_cast<const std::byte*>(vector.iov_base), vector.iov_len});
    if (!part) co_return failure(part);
    at += vector.iov_len;
  }
  co_return Result<void>{};
}

Task<Result<void>> MemoryDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  co_await ToTheBackOfTheLine{ring, mode_ == IoMode::immediate};
  const std::lock_guard lock(mutex_);
  if (Result<void> inside = gate("zero", range.at, range.length); !inside) co_return failure(inside);
  if ((refused_ >> static_cast<unsigned>(method) & 1) != 0) co_return failure(os_failure(EOPNOTSUPP, "zero", name_));
  std::fill_n(content_.begin() + static_cast<std::ptrdiff_t>(range.at), range.length, std::byte{0});
  mark(range, method != ZeroMethod::punch);
  co_return Result<void>{};
}

Task<Result<void>> MemoryDevice::flush(Ring& ring) {
  co_await ToTheBackOfTheLine{ring, mode_ == IoMode::immediate};
  co_return Result<void>{};
}

Result<void> MemoryDevice::read_now(uint64_t at, MutableBytes into) {
  const std::lock_guard lock(mutex_);
  if (Result<void> inside = gate("read", at, into.size()); !inside) return inside;
  if (!into.empty()) std::memcpy(into.data(), content_.data() + at, into.size());
  return {};
}

Result<void> MemoryDevice::write_now(uint64_t at, Bytes from) {
  const std::lock_guard lock(mutex_);
  if (Result<void> inside = gate("write", at, from.size()); !inside) return inside;
  if (from.empty()) return {};
  std::memcpy(content_.data() + at, from.data(), from.size());
  mark({at, from.size()}, true);
  return {};
}

Result<Allocation> MemoryDevice::allocation(uint64_t at) {
  const std::lock_guard lock(mutex_);
  if (at >= content_.size()) return failure(gate("map", at, 1).error());
  const bool data = data_[at / block];
  uint64_t end = at / block + 1;
  while (end < data_.size() && data_[end] == data) ++end;
  return Allocation{.range = Range::between(at, std::min<uint64_t>(end * block, content_.size())), .data = data};
}

Result<void> MemoryDevice::allocate_now(Range range) {
  if (range.end() > size()) {
    if (Result<void> grown = resize(range.end()); !grown) return grown;
  }
  const std::lock_guard lock(mutex_);
  if (!range.empty()) mark(range, true);
  return {};
}

Result<void> MemoryDevice::resize(uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (fixed_size_) return failure(os_failure(EOPNOTSUPP, "resize", name_));
  content_.resize(size);
  data_.resize(divide_up(size, block), false);
  return {};
}

}  // namespace disklathe::test
