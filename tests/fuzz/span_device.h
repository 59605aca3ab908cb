// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "core/device/block_device.h"

namespace disklathe::test {

// What a fuzzer's input is read from: only by blocking reads. A read outside of it is a mistake of the code under test,
// not of the input: it ends the run.
class SpanDeviceBase : public BlockDevice {
 public:
  explicit SpanDeviceBase(uint64_t size) : size_(size) {}

  std::string_view name() const override { return "input"; }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::immediate; }
  Task<Result<void>> readv(Ring&, uint64_t, std::span<const iovec>) override { return refused(); }
  Task<Result<void>> writev(Ring&, uint64_t, std::span<const iovec>) override { return refused(); }
  Task<Result<void>> zero(Ring&, Range, ZeroMethod) override { return refused(); }
  Task<Result<void>> flush(Ring&) override { return refused(); }
  Result<void> write_now(uint64_t, Bytes) override { __builtin_trap(); }
  Result<void> flush_now() override { __builtin_trap(); }
  Result<Allocation> allocation(uint64_t at) override {
    if (at >= size_) __builtin_trap();
    return Allocation{Range::between(at, size_), true};
  }
  Result<void> resize(uint64_t) override { __builtin_trap(); }

 protected:
  void check(uint64_t at, uint64_t length) const {
    if (at > size_ || length > size_ - at) __builtin_trap();
  }

 private:
  static Task<Result<void>> refused() { __builtin_trap(); }

  uint64_t size_;
  Limits limits_;
};

// The input as a file. Behind it, up to size(), the file reads as zeroes.
class SpanDevice final : public SpanDeviceBase {
 public:
  explicit SpanDevice(Bytes content, uint64_t size) : SpanDeviceBase(size), content_(content) {}
  explicit SpanDevice(Bytes content) : SpanDevice(content, content.size()) {}

  Result<void> read_now(uint64_t at, MutableBytes into) override {
    check(at, into.size());
    std::ranges::fill(into, std::byte{0});
    if (at < content_.size())
      std::ranges::copy(content_.subspan(at, std::min(into.size(), content_.size() - at)), into.begin());
    return {};
  }

 private:
  Bytes content_;
};

}  // namespace disklathe::test
