// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/block_device.h"

namespace disklathe::test {

// A file in memory. What was never written, or was punched, is a hole (in blocks of 4096 bytes).
class MemoryDevice final : public BlockDevice {
 public:
  // queued: requests complete later, from the ring's loop, in the order they came.
  explicit MemoryDevice(uint64_t size = 0, IoMode mode = IoMode::immediate);
  explicit MemoryDevice(std::vector<std::byte> content, IoMode mode = IoMode::immediate);

  // For a test's own eyes and hands, while no request is under way.
  std::vector<std::byte>& content() { return content_; }
  Limits& limits_to_change() { return limits_; }
  void fix_size() { fixed_size_ = true; }  // resize() becomes unsupported, as on a block device
  void refuse(ZeroMethod method) { refused_ |= 1U << static_cast<unsigned>(method); }

  std::string_view name() const override { return name_; }
  uint64_t size() const override;
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return mode_; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override { return {}; }
  Result<Allocation> allocation(uint64_t at) override;
  bool has_holes() const override { return !fixed_size_; }
  Result<void> allocate_now(Range range) override;
  Result<void> resize(uint64_t size) override;

 private:
  Result<void> gate(std::string_view operation, uint64_t at, uint64_t length) const;
  void mark(Range range, bool data);

  mutable std::mutex mutex_;
  std::string name_ = "memory";
  std::vector<std::byte> content_;
  std::vector<bool> data_;  // a block each
  Limits limits_;
  IoMode mode_;
  bool fixed_size_ = false;
  unsigned refused_ = 0;
};

}  // namespace disklathe::test
