// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/device/block_device.h"

namespace disklathe::test {

// What requests cost, seconds.
struct Costs {
  double write_fixed = 0, write_per_byte = 0;
  double zero_fixed = 0, zero_per_byte = 0;
  double read_per_byte = 0;  // 0: it cannot be read
  std::set<ZeroMethod> refused;
};

// A device of any size without content, and the clock it lives by: it serves one request after the other, each moves
// the clock by what it costs, and nothing else does. Remembers of each block what was done to it. One ring at a time.
class PricedDevice final : public BlockDevice, public Clock {
 public:
  enum class Block : uint8_t { untouched, zeroed, wrote_zeroes, data };

  PricedDevice(uint64_t size, uint32_t block, Costs costs);

  Costs& costs() { return costs_; }  // may change at any time
  // From here on it held zeroes before; else other bytes.
  void was_zero_from(uint64_t offset) { zero_from_ = offset; }
  Limits& limits_to_change() { return limits_; }
  bool was_zero(uint64_t offset) const { return offset >= zero_from_; }
  double seconds() const { return std::chrono::duration<double>(now_).count(); }
  Block block_at(uint64_t offset) const { return blocks_[offset / block_]; }
  // Blocks that were written or zeroed more than once.
  size_t touched_twice() const { return touched_twice_; }
  size_t commands() const { return commands_; }
  size_t refusals() const { return refusals_; }
  size_t writes() const { return writes_; }
  unsigned most_commands_in_flight() const { return most_commands_; }
  // The most time that commands in flight together were to take, where there were several.
  double most_command_seconds() const { return most_command_seconds_; }

  Time now() const override { return now_; }
  std::string_view name() const override { return "priced"; }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::queued; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override { return {}; }
  Result<Allocation> allocation(uint64_t at) override { return Allocation{.range = Range::between(at, size_)}; }
  Result<void> resize(uint64_t size) override;

 private:
  struct Served;
  struct Request {
    Time ends;
    Ring* ring;
    std::coroutine_handle<> waiter;
  };
  struct Server;
  Server serve(Ring& ring);
  void touch(Range range, Block to);

  const uint64_t size_;
  const uint32_t block_;
  Costs costs_;
  uint64_t zero_from_ = UINT64_MAX;
  Limits limits_;
  Time now_{0}, busy_until_{0};
  std::deque<Request> queue_;
  bool serving_ = false;
  std::vector<Block> blocks_;
  size_t touched_twice_ = 0, commands_ = 0, refusals_ = 0, writes_ = 0;
  unsigned commands_in_flight_ = 0, most_commands_ = 0;
  double command_seconds_ = 0, most_command_seconds_ = 0;
};

// A disk that repeats: so much data, then a hole. A data block begins with a word that is not zero; reads take no time.
class PatternDevice final : public BlockDevice {
 public:
  // zeroes_stored: the holes are zeroes like any data, which only reading finds.
  PatternDevice(uint64_t size, uint32_t block, uint64_t data, uint64_t hole, bool zeroes_stored = false)
      : size_(size), block_(block), data_(data), hole_(hole), zeroes_stored_(zeroes_stored) {}

  bool is_data(uint64_t offset) const { return offset % (data_ + hole_) < data_; }

  std::string_view name() const override { return "pattern"; }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::immediate; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override { return {}; }
  Result<Allocation> allocation(uint64_t at) override;
  Result<void> resize(uint64_t size) override;

 private:
  const uint64_t size_;
  const uint32_t block_;
  const uint64_t data_, hole_;
  const bool zeroes_stored_;
  Limits limits_;
};

}  // namespace disklathe::test
