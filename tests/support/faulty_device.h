// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/support/wrapped_device.h"

namespace disklathe::test {

// Fails when it is told to, and remembers what was written, so that a test can ask what a power cut would have left.
// zero() and resize() count as writes; blocking requests count with the others. Faults are set before the requests
// come.
class FaultyDevice final : public WrappedDevice {
 public:
  // One change of the device's content.
  struct Change {
    enum class Kind { write, zero, resize } kind = Kind::write;
    uint64_t at = 0;               // resize: the new size
    uint64_t length = 0;           // write, zero
    std::vector<std::byte> bytes;  // write
    size_t flushes_before = 0;     // complete flushes when it came
  };

  explicit FaultyDevice(BlockDevice& inner) : WrappedDevice(inner) {}

  // The k-th request of its sort, from 1 on, fails with this errno; those after it are served.
  void fail_read(size_t k, int os_error) { read_fault_ = {k, os_error}; }
  void fail_write(size_t k, int os_error) { write_fault_ = {k, os_error}; }
  void fail_flush(size_t k, int os_error) { flush_fault_ = {k, os_error}; }
  // Every read and write that touches the offset fails.
  void fail_at(uint64_t offset, int os_error) { bad_offset_ = {offset, os_error}; }
  // The power goes after k writes: everything later fails with ENODEV.
  void stop_after_writes(size_t k) { power_for_ = k; }
  void keep_changes() { keep_changes_ = true; }

  size_t reads() const;
  size_t writes() const;
  size_t flushes() const;
  std::vector<Change> changes() const;

  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<void> resize(uint64_t size) override;

 private:
  struct Fault {
    size_t k = 0;
    int os_error = 0;
  };
  Result<void> before_read(Range range);
  Result<void> before_write(Change change);
  Result<void> before_flush();
  Result<void> touched(std::string_view operation, Range range) const;
  void after_flush(const Result<void>& result);

  mutable std::mutex mutex_;
  Fault read_fault_, write_fault_, flush_fault_;
  std::optional<std::pair<uint64_t, int>> bad_offset_;
  std::optional<size_t> power_for_;
  bool powered_ = true;
  bool keep_changes_ = false;
  size_t reads_ = 0, writes_ = 0, flushes_ = 0, complete_flushes_ = 0;
  std::vector<Change> changes_;
};

// What the device holds when the power goes after the first `until` changes: those before the last complete flush are
// on it, of the later ones those that `survives` says (a write cache is written back in any order).
std::vector<std::byte> content_after_power_cut(std::vector<std::byte> initial,
                                               std::span<const FaultyDevice::Change> changes, size_t until,
                                               const std::function<bool(size_t change)>& survives);

}  // namespace disklathe::test
