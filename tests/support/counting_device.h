// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <vector>

#include "tests/support/wrapped_device.h"

namespace disklathe::test {

// Remembers which requests came, in the order they came. Blocking ones (metadata) are counted with the others.
class CountingDevice final : public WrappedDevice {
 public:
  struct Zeroed {
    Range range;
    ZeroMethod method;
  };

  explicit CountingDevice(BlockDevice& inner) : WrappedDevice(inner) {}

  std::vector<Range> reads() const;
  std::vector<Range> writes() const;
  std::vector<Zeroed> zeroes() const;
  std::vector<Range> begun_flushes() const;
  size_t flushes() const;
  size_t looks() const;  // how often its allocation was asked for
  uint64_t bytes_read() const;
  uint64_t bytes_written() const;
  // The most readv, writev and zero requests that were under way together.
  size_t most_in_flight() const;
  void forget();

  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  void begin_flush(Range range) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;

 private:
  Task<Result<void>> counted(Task<Result<void>> request);

  mutable std::mutex mutex_;
  std::vector<Range> reads_, writes_, begun_flushes_;
  std::vector<Zeroed> zeroes_;
  size_t flushes_ = 0, looks_ = 0, in_flight_ = 0, most_in_flight_ = 0;
};

}  // namespace disklathe::test
