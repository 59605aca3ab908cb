// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <vector>

#include "tests/fuzz/span_device.h"

namespace disklathe::test {

// A file in memory that may be written to and grows, up to a bound, behind which there is no space.
class GrowingDevice final : public SpanDeviceBase {
 public:
  GrowingDevice(std::string name, std::vector<std::byte> content, uint64_t most)
      : SpanDeviceBase(0), name_(std::move(name)), content_(std::move(content)), most_(most) {}

  const std::vector<std::byte>& content() const { return content_; }

  std::string_view name() const override { return name_; }
  uint64_t size() const override { return content_.size(); }
  bool has_holes() const override { return true; }
  Task<Result<void>> readv(Ring&, uint64_t at, std::span<const iovec> vectors) override {
    for (const iovec& vector : vectors) {
      auto read = read_now(at, {static_cast<std::byte*>(vector.iov_base), vector.iov_len});
      if (!read) co_return read;
      at += vector.iov_len;
    }
    co_return Result<void>{};
  }
  Task<Result<void>> writev(Ring&, uint64_t at, std::span<const iovec> vectors) override {
    for (const iovec& vector : vectors) {
      auto written = write_now(at, {static_cast<const std::byte*>(vector.iov_base), vector.iov_len});
      if (!written) co_return written;
      at += vector.iov_len;
    }
    co_return Result<void>{};
  }
  Task<Result<void>> zero(Ring&, Range range, ZeroMethod) override {
    if (auto inside = gate(range.at, range.length); !inside) co_return inside;
    std::ranges::fill(MutableBytes(content_).subspan(range.at, range.length), std::byte{0});
    co_return Result<void>{};
  }
  Task<Result<void>> flush(Ring&) override { co_return Result<void>{}; }
  Result<void> read_now(uint64_t at, MutableBytes into) override {
    if (auto inside = gate(at, into.size()); !inside) return inside;
    std::ranges::copy(Bytes(content_).subspan(at, into.size()), into.begin());
    return {};
  }
  Result<void> write_now(uint64_t at, Bytes from) override {
    if (auto inside = gate(at, from.size()); !inside) return inside;
    std::ranges::copy(from, content_.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  Result<void> flush_now() override { return {}; }
  Result<Allocation> allocation(uint64_t at) override {
    if (auto inside = gate(at, 1); !inside) return failure(inside);
    return Allocation{Range::between(at, size()), true};
  }
  Result<void> allocate_now(Range range) override {
    return range.end() <= size() ? Result<void>{} : resize(range.end());
  }
  Result<void> resize(uint64_t size) override {
    if (size > most_) return failure(ErrorKind::no_space, "resize", name_);
    content_.resize(size);
    return {};
  }

 private:
  Result<void> gate(uint64_t at, uint64_t length) const {
    if (at <= content_.size() && length <= content_.size() - at) return {};
    return failure(ErrorKind::invalid, "reach", name_, at);
  }

  const std::string name_;
  std::vector<std::byte> content_;
  const uint64_t most_;
};

}  // namespace disklathe::test
