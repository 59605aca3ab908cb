// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/block_device.h"
#include "core/nbd/remote_connection.h"

namespace disklathe::nbd {

// nbd://, nbds://, nbd+unix://, nbds+unix:// (NetworkBlockDevice/nbd, doc/uri.md)
bool is_uri(std::string_view text);

// The export of another server. What it says of itself is checked, and its limits are kept; it may lie about the bytes
// of its disk, but reach nothing here. Several connections where it says that they are one to it.
class RemoteDevice final : public BlockDevice {
 public:
  static Result<std::unique_ptr<RemoteDevice>> open(const std::string& uri, bool writable);

  std::string_view name() const override { return name_; }
  uint64_t size() const override { return facts().size; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::queued; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  bool has_flush() const override { return facts().can_flush; }
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;
  Result<void> resize(uint64_t size) override;

  // What is read there afterwards may be anything. `unsupported` where the server has no such thing. Blocks.
  Result<void> discard_now(Range range);

 private:
  enum class Move : uint8_t { read, write };

  RemoteDevice(std::string uri, bool writable, std::vector<std::unique_ptr<RemoteConnection>> connections);
  const RemoteConnection::Facts& facts() const { return connections_[0]->facts(); }
  Result<void> gate(std::string_view operation, Range range, bool writes) const;
  bool is_aligned(uint64_t at, std::span<const iovec> vectors) const;
  RemoteConnection& next() { return *connections_[turn_.fetch_add(1) % connections_.size()]; }
  void submit(OutsideCall& call, Move move, uint64_t at, std::span<const iovec> vectors);
  Result<void> transfer_now(Move move, uint64_t at, MutableBytes bytes);
  Result<void> read_around(uint64_t at, MutableBytes into);
  Result<void> write_around(uint64_t at, Bytes from);
  Result<void> result_of(const OutsideCall& call, std::string_view operation, std::optional<uint64_t> at) const;
  Result<void> look_up(uint64_t at);

  const std::string name_;
  const bool writable_;
  const std::vector<std::unique_ptr<RemoteConnection>> connections_;
  Limits limits_;
  std::atomic<size_t> turn_{0};
  std::mutex edges_;  // one at a time writes less than a block
  std::mutex map_mutex_;
  std::vector<Allocation> map_;  // what the server last said, from some offset on
};

}  // namespace disklathe::nbd
