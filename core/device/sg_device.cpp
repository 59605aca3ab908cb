// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/sg_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/arithmetic.h"
#include "core/io/aligned_buffer.h"

namespace disklathe {
namespace {

using scsi::Sense;
using scsi::SenseKey;
using namespace std::chrono_literals;

constexpr int attempts = 5;
constexpr auto pause = 100ms;  // before what is busy is asked again
constexpr auto flush_timeout = 5min;
constexpr uint64_t bounce_size = 1 << 20;
// Where nobody says, what every host adapter takes.
constexpr uint64_t safe_transfer = 128 << 10, safe_segments = 32;
constexpr uint64_t largest_command = 16 << 20;

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// DID_* (Linux, scsi_status.h)
enum HostStatus : uint16_t {
  host_ok = 0x00,
  host_no_connect = 0x01,
  host_bus_busy = 0x02,
  host_time_out = 0x03,
  host_bad_target = 0x04,
  // These two are also the first answers of a device that is being pulled out; asked again, it says so.
  host_abort = 0x05,
  host_error = 0x07,
  host_reset = 0x08,
  host_soft_error = 0x0b,
  host_retry = 0x0c,
  host_requeue = 0x0d,
};

bool asks_for_another_try(const ScsiOutcome& outcome) {
  switch (outcome.host_status) {
    case host_bus_busy:
    case host_abort:
    case host_error:
    case host_reset:
    case host_soft_error:
    case host_retry:
    case host_requeue: return true;
    default: return outcome.status == scsi::status_busy || outcome.status == scsi::status_task_set_full;
  }
}

Error error_of_host(const ScsiOutcome& outcome, std::string_view operation) {
  switch (outcome.host_status) {
    case host_no_connect:
    case host_bad_target: return os_failure(ENODEV, operation, {});
    case host_time_out: return os_failure(ETIMEDOUT, operation, {});
    default: {
      Error error = os_failure(EIO, operation, {});
      error.cause = fmt::format("the host adapter failed (status {:#04x})", outcome.host_status);
      return error;
    }
  }
}

Error error_of_status(uint8_t status, std::string_view operation) {
  Error error = os_failure(status == scsi::status_reservation_conflict ? EBUSY : EIO, operation, {});
  error.cause = status == scsi::status_reservation_conflict ? "another computer has reserved it"
                                                            : fmt::format("it answered with status {:#04x}", status);
  return error;
}

bool lost_its_cache(const Sense& sense) {
  return sense.is(0x29) && (sense.qualifier == 0x00 || sense.qualifier == 0x01 || sense.qualifier == 0x04);
}

// Whether the command is just to be sent again: the device was busy telling something that does not concern it.
bool is_only_news(const Sense& sense, bool opened, bool cached) {
  if (sense.key == SenseKey::recovered_error) return sense.deferred;
  if (sense.key == SenseKey::aborted_command) return !sense.deferred;
  if (sense.key != SenseKey::unit_attention) return false;
  if (!opened) return true;                                  // whatever was before is over
  if (sense.is(0x28) || sense.is(0x2a, 0x09)) return false;  // another medium, another size
  return !(cached && lost_its_cache(sense));
}

std::string_view verb_of(ScsiCommand::Direction direction) {
  return direction == ScsiCommand::Direction::out ? "write" : "read";
}

}  // namespace

Result<std::unique_ptr<SgDevice>> SgDevice::open(const std::string& path, bool writable) {
  auto opened = open_sg(path, writable);
  if (!opened) return failure(opened);
  auto device = make(std::move(opened->transport), path, writable, opened->limits);
  if (device) (*device)->disk_ = opened->disk;
  return device;
}

Result<std::unique_ptr<SgDevice>> SgDevice::make(std::unique_ptr<ScsiTransport> transport, std::string name,
                                                 bool writable, const Limits& limits) {
  std::unique_ptr<SgDevice> device(new SgDevice(std::move(transport), std::move(name), writable));
  if (auto inspected = device->inspect(limits); !inspected) {
    inspected.error().subject = device->name_;
    return failure(inspected);
  }
  device->opened_ = true;
  return device;
}

Result<void> SgDevice::inspect(const Limits& limits) {
  AlignedBuffer memory(page_size(), page_size());
  const auto ask = [&](const scsi::Cdb& cdb, size_t room) -> Result<Bytes> {
    std::ranges::fill(memory.bytes(), std::byte{0});
    const MutableBytes answer = memory.first(room);
    auto outcome = send({.cdb = cdb, .direction = Direction::in, .data = answer}, "open");
    if (!outcome) return failure(outcome);
    return Bytes(answer.first(room - std::min<size_t>(outcome->residual, room)));
  };
  auto identity = ask(scsi::inquiry(96), 96);
  if (!identity) return failure(identity);
  // The upper bits say whether there is a device behind this address at all.
  if (identity->empty() || std::to_integer<uint8_t>((*identity)[0]) != scsi::disk_type)
    return failure(ErrorKind::unsupported, "open", "it is no disk");
  const auto answer = ask(scsi::read_capacity_16(32), 32);
  if (!answer) return failure(answer.error());
  const auto capacity = scsi::parse_capacity(*answer);
  if (!capacity) return failure(capacity.error());

  limits_ = limits;
  block_ = capacity->block_size;
  size_ = capacity->blocks * block_;
  max_transfer_ = std::min(limits.max_hw_transfer.value.value_or(safe_transfer), largest_command);
  max_segments_ = limits.max_segments.value.value_or(safe_segments);
  // Most disks have this page, none has to.
  if (const auto page = ask(scsi::inquiry_page(scsi::block_limits_page, 64), 64)) {
    if (const auto most = scsi::parse_max_transfer(*page)) {
      max_transfer_ = std::min(max_transfer_, uint64_t{*most} * block_);
      limits_.max_hw_transfer = {.value = max_transfer_, .source = LimitSource::probe};
    }
  }
  limits_.logical_block = {.value = block_, .source = LimitSource::probe};
  limits_.physical_block = capacity->physical_block;
  limits_.physical_source = LimitSource::probe;
  replace_absurd(limits_);
  limits_.min_mem_align =
      static_cast<uint32_t>(std::clamp<uint64_t>(limits.dma_alignment.value.value_or(512), 1, page_size()));
  limits_.opt_mem_align = static_cast<uint32_t>(page_size());
  limits_.offset_align = block_;
  limits_.alignment_source = limits.dma_alignment.source;
  if (most_in_a_command(0) == 0)
    return failure(ErrorKind::unsupported, "open", "one command cannot move one of its blocks");
  return {};
}

uint64_t SgDevice::most_in_a_command(uintptr_t address) const {
  const uint64_t page = page_size();
  // Pages that lie side by side in memory may be far apart in the machine's: each is a segment of its own.
  const uint64_t by_segments = max_segments_ * page - address % page;
  return round_down(std::min(max_transfer_, by_segments), block_);
}

Result<ScsiOutcome> SgDevice::send(const ScsiCommand& command, std::string_view operation) {
  std::optional<Error> last;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto outcome = transport_->execute(command);
    if (!outcome) return outcome;
    if (asks_for_another_try(*outcome)) {
      last = outcome->host_status == host_ok ? os_failure(EBUSY, operation, {}) : error_of_host(*outcome, operation);
      std::this_thread::sleep_for(pause);
      continue;
    }
    if (outcome->host_status != host_ok) return failure(error_of_host(*outcome, operation));
    if (outcome->status == scsi::status_good) return outcome;
    const auto sense = scsi::parse_sense(Bytes(outcome->sense).first(outcome->sense_length));
    if (outcome->status != scsi::status_check_condition || !sense)
      return failure(error_of_status(outcome->status, operation));
    if (sense->key == SenseKey::recovered_error && !sense->deferred) return outcome;
    Error error = scsi::error_of(*sense, operation);
    if (!sense->deferred && sense->information && *sense->information < size_ / block_)
      error.offset = *sense->information * block_;
    if (sense->key == SenseKey::unit_attention && cached_ && lost_its_cache(*sense)) {
      error.kind = ErrorKind::io;
      error.cause += "; what was written before may be lost";
    }
    if (!is_only_news(*sense, opened_, cached_)) return failure(std::move(error));
    last = std::move(error);
  }
  return failure(std::move(*last));
}

Result<void> SgDevice::gate(Direction direction, uint64_t at, uint64_t length) const {
  const auto refused = [&](std::string cause) {
    return failure(Error{.kind = ErrorKind::invalid,
                         .operation = std::string(verb_of(direction)),
                         .subject = name_,
                         .offset = at,
                         .cause = std::move(cause)});
  };
  if (direction == Direction::out && !writable_) return refused("opened for reading only");
  if (at > size_ || length > size_ - at) return refused("outside the device");
  return {};
}

Result<void> SgDevice::move_blocks(Direction direction, uint64_t at, MutableBytes bytes) {
  while (!bytes.empty()) {
    const uint64_t most = most_in_a_command(reinterpret_cast<uintptr_t>(bytes.data()));
    const MutableBytes part = bytes.first(std::min<uint64_t>(bytes.size(), most));
    const auto count = static_cast<uint32_t>(part.size() / block_);
    const scsi::Cdb cdb =
        direction == Direction::out ? scsi::write_16(at / block_, count) : scsi::read_16(at / block_, count);
    if (direction == Direction::out) cached_ = true;
    auto outcome = send({.cdb = cdb, .direction = direction, .data = part}, verb_of(direction));
    if (outcome && outcome->residual != 0) {
      outcome = failure(os_failure(EIO, verb_of(direction), {}));
      outcome.error().cause = "it moved fewer bytes than it was asked to";
    }
    if (!outcome) {
      Error& error = outcome.error();
      error.subject = name_;
      // Of a block that the device names, if it is one of these.
      if (!error.offset || *error.offset < at || *error.offset - at >= part.size()) error.offset = at;
      return failure(outcome);
    }
    at += part.size();
    bytes = bytes.subspan(part.size());
  }
  return {};
}

// What a write leaves of the first and of the last block that it touches.
Result<void> SgDevice::read_edges(uint64_t at, MutableBytes blocks, size_t skip, size_t count) {
  const uint64_t last = blocks.size() - block_;
  if (skip > 0)
    if (auto read = move_blocks(Direction::in, at, blocks.first(block_)); !read) return read;
  if (skip + count < blocks.size() && (last > 0 || skip == 0))
    if (auto read = move_blocks(Direction::in, at + last, blocks.subspan(last)); !read) return read;
  return {};
}

Result<void> SgDevice::move_bounced(Direction direction, uint64_t at, MutableBytes bytes) {
  ++bounces_;
  std::unique_lock turn(bounced_write_, std::defer_lock);
  if (direction == Direction::out) turn.lock();
  const uint64_t room = std::max<uint64_t>(round_down(bounce_size, block_), block_);
  AlignedBuffer bounce(std::min(room, round_up(bytes.size() + at % block_, block_)), page_size());
  while (!bytes.empty()) {
    const uint64_t start = round_down(at, block_), skip = at - start;
    const uint64_t count = std::min<uint64_t>(bytes.size(), bounce.size() - skip);
    const MutableBytes blocks = bounce.first(round_up(skip + count, block_));
    const MutableBytes part = blocks.subspan(skip, count);
    if (direction == Direction::in) {
      if (auto read = move_blocks(Direction::in, start, blocks); !read) return read;
      std::ranges::copy(part, bytes.begin());
    } else {
      if (auto read = read_edges(start, blocks, skip, count); !read) return read;
      std::ranges::copy(bytes.first(count), part.begin());
      if (auto written = move_blocks(Direction::out, start, blocks); !written) return written;
    }
    at += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Result<void> SgDevice::move(Direction direction, uint64_t at, MutableBytes bytes) {
  const bool straight = is_multiple(at, block_) && is_multiple(bytes.size(), block_) &&
                        is_multiple(reinterpret_cast<uintptr_t>(bytes.data()), limits_.min_mem_align) &&
                        most_in_a_command(reinterpret_cast<uintptr_t>(bytes.data())) > 0;
  return straight ? move_blocks(direction, at, bytes) : move_bounced(direction, at, bytes);
}

Result<void> SgDevice::move_all(Direction direction, uint64_t at, std::span<const iovec> vectors) {
  uint64_t length = 0;
  for (const iovec& vector : vectors) length += vector.iov_len;
  if (auto inside = gate(direction, at, length); !inside) return inside;
  for (const iovec& vector : vectors) {
    if (auto moved = move(direction, at, {static_cast<std::byte*>(vector.iov_base), vector.iov_len}); !moved)
      return moved;
    at += vector.iov_len;
  }
  return {};
}

Task<Result<void>> SgDevice::readv(Ring&, uint64_t at, std::span<const iovec> vectors) {
  co_return move_all(Direction::in, at, vectors);
}

Task<Result<void>> SgDevice::writev(Ring&, uint64_t at, std::span<const iovec> vectors) {
  co_return move_all(Direction::out, at, vectors);
}

Task<Result<void>> SgDevice::zero(Ring&, Range range, ZeroMethod method) {
  if (auto inside = gate(Direction::out, range.at, range.length); !inside) co_return inside;
  if (method != ZeroMethod::buffers) co_return failure(os_failure(EOPNOTSUPP, "zero", name_, range.at));
  AlignedBuffer zeroes(bounce_size, page_size());
  while (!range.empty()) {
    // Up to a multiple of the buffer's size, so that what follows an odd start is aligned.
    const uint64_t length = std::min(range.length, bounce_size - range.at % bounce_size);
    if (auto written = move(Direction::out, range.at, zeroes.first(length)); !written) co_return written;
    range = Range::between(range.at + length, range.end());
  }
  co_return Result<void>{};
}

Task<Result<void>> SgDevice::flush(Ring&) { co_return flush_now(); }

Result<void> SgDevice::read_now(uint64_t at, MutableBytes into) {
  const iovec vector{into.data(), into.size()};
  return move_all(Direction::in, at, {&vector, 1});
}

Result<void> SgDevice::write_now(uint64_t at, Bytes from) {
  const iovec vector{const_cast<std::byte*>(from.data()), from.size()};
  return move_all(Direction::out, at, {&vector, 1});
}

Result<void> SgDevice::flush_now() {
  if (!writable_) return {};
  const auto outcome = send({.cdb = scsi::synchronize_cache(), .timeout = flush_timeout}, "flush");
  if (!outcome && outcome.error().kind != ErrorKind::unsupported) {
    Error error = outcome.error();
    error.subject = name_;
    return failure(std::move(error));
  }
  // A device that does not know the command has no cache.
  cached_ = false;
  return {};
}

Result<Allocation> SgDevice::allocation(uint64_t at) {
  if (at >= size_) return failure(gate(Direction::in, at, 1).error());
  return Allocation{.range = Range::between(at, size_), .data = true};
}

Result<void> SgDevice::resize(uint64_t) { return failure(os_failure(EOPNOTSUPP, "resize", name_)); }

}  // namespace disklathe
