// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "core/device/block_device.h"
#include "core/device/scsi_transport.h"

namespace disklathe {

// A SCSI disk spoken to by commands of our own, past the kernel's block layer. Nobody splits what is sent here: each
// command stays within the device's max_hw_transfer, max_segments (a page of memory counts as one) and the MAXIMUM
// TRANSFER LENGTH it names itself; its memory starts on the device's alignment and it moves whole blocks. What comes
// otherwise goes through a bounce buffer, for writes after reading the blocks at its ends.
class SgDevice final : public BlockDevice {
 public:
  // /dev/sgN. Who writes has made sure before that nobody uses the disk: the kernel does not mind two users here.
  static Result<std::unique_ptr<SgDevice>> open(const std::string& path, bool writable);
  // limits: those of max_hw_transfer, max_segments and dma_alignment, nothing where nobody says.
  static Result<std::unique_ptr<SgDevice>> make(std::unique_ptr<ScsiTransport> transport, std::string name,
                                                bool writable, const Limits& limits);

  std::string_view name() const override { return name_; }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::immediate; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;
  Result<void> resize(uint64_t size) override;

  // The block device that the kernel has for the same disk.
  std::optional<dev_t> disk() const { return disk_; }
  // Bytes that one command may move from or to memory at that address.
  uint64_t most_in_a_command(uintptr_t address) const;
  // Requests that went through a bounce buffer.
  uint64_t bounces() const { return bounces_; }

 private:
  using Direction = ScsiCommand::Direction;

  SgDevice(std::unique_ptr<ScsiTransport> transport, std::string name, bool writable)
      : transport_(std::move(transport)), name_(std::move(name)), writable_(writable) {}

  Result<void> inspect(const Limits& limits);
  Result<void> gate(Direction direction, uint64_t at, uint64_t length) const;
  // One vector after the other.
  Result<void> move_all(Direction direction, uint64_t at, std::span<const iovec> vectors);
  Result<void> move(Direction direction, uint64_t at, MutableBytes bytes);
  Result<void> move_bounced(Direction direction, uint64_t at, MutableBytes bytes);
  Result<void> read_edges(uint64_t at, MutableBytes blocks, size_t skip, size_t count);
  // Whole blocks, from or to aligned memory.
  Result<void> move_blocks(Direction direction, uint64_t at, MutableBytes bytes);
  // Sends it, again where that is what the answer asks for.
  Result<ScsiOutcome> send(const ScsiCommand& command, std::string_view operation);

  std::unique_ptr<ScsiTransport> transport_;
  const std::string name_;
  const bool writable_;
  std::optional<dev_t> disk_;
  uint64_t size_ = 0;
  uint32_t block_ = 512;
  uint64_t max_transfer_ = 0;
  uint64_t max_segments_ = 0;
  Limits limits_;
  std::mutex bounced_write_;         // reading a block and writing it back is not to be mixed with another such
  std::atomic<bool> cached_{false};  // it was written to since the last flush
  bool opened_ = false;
  std::atomic<uint64_t> bounces_{0};
};

}  // namespace disklathe
