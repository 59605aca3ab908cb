// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "core/device/block_device.h"

namespace disklathe::test {

// The fuzzer's bytes as a file that can only be read, and only by blocking reads. A read outside of it is a mistake of
// the code under test, not of the input: it ends the run.
class SpanDevice final : public BlockDevice {
 public:
  explicit SpanDevice(Bytes content, uint64_t size) : content_(content), size_(size) {}
  explicit SpanDevice(Bytes content) : SpanDevice(content, content.size()) {}

  std::string_view name() const override { return "input"; }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::immediate; }
  Task<Result<void>> readv(Ring&, uint64_t, std::span<const iovec>) override { return refused(); }
  Task<Result<void>> writev(Ring&, uint64_t, std::span<const iovec>) override { return refused(); }
  Task<Result<void>> zero(Ring&, Range, ZeroMethod) override { return refused(); }
  Task<Result<void>> flush(Ring&) override { return refused(); }
  // Behind the input, up to size(), the file reads as zeroes.
  Result<void> read_now(uint64_t at, MutableBytes into) override {
    if (at > size_ || into.size() > size_ - at) __builtin_trap();
    std::ranges::fill(into, std::byte{0});
    if (at < content_.size())
      std::ranges::copy(content_.subspan(at, std::min(into.size(), content_.size() - at)), into.begin());
    return {};
  }
  Result<void> write_now(uint64_t, Bytes) override { __builtin_trap(); }
  Result<void> flush_now() override { __builtin_trap(); }
  Result<Allocation> allocation(uint64_t at) override {
    if (at >= size_) __builtin_trap();
    return Allocation{Range::between(at, size_), true};
  }
  Result<void> resize(uint64_t) override { __builtin_trap(); }

 private:
  static Task<Result<void>> refused() { __builtin_trap(); }

  Bytes content_;
  uint64_t size_;
  Limits limits_;
};

}  // namespace disklathe::test
