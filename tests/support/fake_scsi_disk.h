// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "core/base/endian.h"
#include "core/device/scsi_transport.h"

namespace disklathe::test {

// A SCSI disk in memory. Refuses, as a real one, what is larger than its limits allow. The test sets it up, then keeps
// a reference to it while a device owns it.
class FakeScsiDisk final : public ScsiTransport {
 public:
  struct Moved {
    bool write;
    uint64_t block;
    uint32_t count;
    uintptr_t memory;
  };

  explicit FakeScsiDisk(uint64_t blocks, uint32_t block_size) : block_size_(block_size), content(blocks * block_size) {}

  uint32_t max_transfer = 0;  // blocks, in its block limits page; 0: it has no such page
  uint8_t type = scsi::disk_type;
  bool knows_flush = true;
  std::deque<std::vector<uint8_t>> answers;  // sense (fixed format: key, code, qualifier, deferred) for the next ones
  std::deque<uint16_t> host_answers;         // host status of the next ones
  std::vector<Moved> moved;
  size_t flushes = 0;

 private:
  const uint32_t block_size_;

 public:
  std::vector<std::byte> content;

  Result<ScsiOutcome> execute(const ScsiCommand& command) override {
    if (!host_answers.empty()) {
      const uint16_t status = host_answers.front();
      host_answers.pop_front();
      if (status) return ScsiOutcome{.host_status = status};
    }
    if (!answers.empty()) {
      const auto answer = answers.front();
      answers.pop_front();
      if (!answer.empty()) return refusal(answer[0], answer[1], answer[2], answer.size() > 3);
    }
    const Bytes cdb = std::as_bytes(std::span(command.cdb.bytes));
    switch (std::to_integer<uint8_t>(cdb[0])) {
      case 0x12: return inquire(command, cdb);
      case 0x9e: return tell_capacity(command);
      case 0x88: return move(command, load_be<uint64_t>(cdb, 2), load_be<uint32_t>(cdb, 10), false);
      case 0x8a: return move(command, load_be<uint64_t>(cdb, 2), load_be<uint32_t>(cdb, 10), true);
      case 0x35:
        if (!knows_flush) return refusal(5, 0x20, 0);
        ++flushes;
        return ScsiOutcome{};
      default: return refusal(5, 0x20, 0);
    }
  }

 private:
  static ScsiOutcome refusal(uint8_t key, uint8_t code, uint8_t qualifier, bool deferred = false) {
    ScsiOutcome outcome{.status = scsi::status_check_condition, .sense_length = 18};
    outcome.sense[0] = static_cast<std::byte>(deferred ? 0x71 : 0x70);
    outcome.sense[2] = static_cast<std::byte>(key);
    outcome.sense[12] = static_cast<std::byte>(code);
    outcome.sense[13] = static_cast<std::byte>(qualifier);
    return outcome;
  }

  ScsiOutcome inquire(const ScsiCommand& command, Bytes cdb) const {
    if (std::to_integer<uint8_t>(cdb[1]) == 0) {
      command.data[0] = static_cast<std::byte>(type);
      return {.residual = static_cast<uint32_t>(command.data.size() - 36)};
    }
    if (!max_transfer) return refusal(5, 0x24, 0);
    command.data[1] = static_cast<std::byte>(scsi::block_limits_page);
    store_be<uint16_t>(command.data, 2, 0x3c);
    store_be<uint32_t>(command.data, 8, max_transfer);
    return {};
  }

  ScsiOutcome tell_capacity(const ScsiCommand& command) const {
    store_be<uint64_t>(command.data, 0, content.size() / block_size_ - 1);
    store_be<uint32_t>(command.data, 8, block_size_);
    return {};
  }

  ScsiOutcome move(const ScsiCommand& command, uint64_t block, uint32_t count, bool write) {
    const uint64_t bytes = uint64_t{count} * block_size_;
    if (block * block_size_ + bytes > content.size()) return refusal(5, 0x21, 0);
    if ((max_transfer && count > max_transfer) || bytes != command.data.size()) return refusal(5, 0x24, 0);
    moved.push_back({write, block, count, reinterpret_cast<uintptr_t>(command.data.data())});
    std::byte* here = content.data() + block * block_size_;
    if (write)
      std::memcpy(here, command.data.data(), bytes);
    else
      std::memcpy(command.data.data(), here, bytes);
    return {};
  }
};

}  // namespace disklathe::test
