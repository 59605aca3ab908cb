// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/block_device.h"

namespace disklathe::test {

// Hands everything on to a device that outlives it: the base of devices that count or fail.
class WrappedDevice : public BlockDevice {
 public:
  explicit WrappedDevice(BlockDevice& inner) : inner_(inner) {}

  std::string_view name() const override { return inner_.name(); }
  uint64_t size() const override { return inner_.size(); }
  const Limits& limits() const override { return inner_.limits(); }
  IoMode io_mode() const override { return inner_.io_mode(); }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override {
    return inner_.readv(ring, at, vectors);
  }
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override {
    return inner_.writev(ring, at, vectors);
  }
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override {
    return inner_.zero(ring, range, method);
  }
  Task<Result<void>> flush(Ring& ring) override { return inner_.flush(ring); }
  void begin_flush(Range range) override { inner_.begin_flush(range); }
  Result<void> read_now(uint64_t at, MutableBytes into) override { return inner_.read_now(at, into); }
  Result<void> write_now(uint64_t at, Bytes from) override { return inner_.write_now(at, from); }
  Result<void> flush_now() override { return inner_.flush_now(); }
  Result<Allocation> allocation(uint64_t at) override { return inner_.allocation(at); }
  bool has_holes() const override { return inner_.has_holes(); }
  Result<void> allocate_now(Range range) override { return inner_.allocate_now(range); }
  Result<void> resize(uint64_t size) override { return inner_.resize(size); }

 protected:
  BlockDevice& inner_;
};

}  // namespace disklathe::test
