// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/scsi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <span>

#include "core/base/endian.h"

namespace disklathe::scsi {
namespace {

constexpr uint32_t largest_block = 1 << 20;

template <std::unsigned_integral T>
void put(Cdb& cdb, size_t at, T value) {
  store_be(std::as_writable_bytes(std::span(cdb.bytes)), at, value);
}

Cdb transfer(uint8_t operation, uint64_t block, uint32_t count) {
  Cdb cdb{.bytes = {operation}, .length = 16};
  put(cdb, 2, block);
  put(cdb, 10, count);
  return cdb;
}

uint8_t byte(Bytes from, size_t at) { return std::to_integer<uint8_t>(from[at]); }

std::string_view name_of(SenseKey key) {
  switch (key) {
    case SenseKey::no_sense: return "no reason given";
    case SenseKey::recovered_error: return "recovered error";
    case SenseKey::not_ready: return "not ready";
    case SenseKey::medium_error: return "medium error";
    case SenseKey::hardware_error: return "hardware error";
    case SenseKey::illegal_request: return "illegal request";
    case SenseKey::unit_attention: return "unit attention";
    case SenseKey::data_protect: return "data protect";
    case SenseKey::aborted_command: return "aborted command";
  }
  return "failed";
}

// The codes that a disk is likely to give (SPC annex D); -1: any qualifier.
struct Reason {
  uint8_t code;
  int qualifier;
  std::string_view words;
};
constexpr std::array reasons{
    Reason{0x04, 0x01, "becoming ready"},
    Reason{0x04, 0x02, "it has to be started first"},
    Reason{0x04, 0x04, "it is being formatted"},
    Reason{0x08, -1, "communication failure"},
    Reason{0x0c, -1, "write error"},
    Reason{0x11, -1, "unrecovered read error"},
    Reason{0x20, -1, "it does not know this command"},
    Reason{0x21, -1, "block address out of range"},
    Reason{0x24, -1, "it does not know this form of the command"},
    Reason{0x25, -1, "there is no such unit any more"},
    Reason{0x27, 0x07, "no more space behind it"},
    Reason{0x27, -1, "write protected"},
    Reason{0x28, -1, "the medium may have been changed"},
    Reason{0x29, -1, "it was reset or lost its power"},
    Reason{0x2a, 0x09, "its capacity has changed"},
    Reason{0x3a, -1, "no medium in it"},
    Reason{0x44, -1, "internal failure"},
    Reason{0x47, -1, "transmission error"},
};

ErrorKind kind_of(const Sense& sense) {
  switch (sense.key) {
    case SenseKey::not_ready: return sense.is(0x3a) ? ErrorKind::vanished : ErrorKind::busy;
    case SenseKey::illegal_request:
      if (sense.is(0x21)) return ErrorKind::invalid;
      return sense.is(0x25) ? ErrorKind::vanished : ErrorKind::unsupported;
    case SenseKey::unit_attention: return ErrorKind::changed;
    case SenseKey::data_protect: return sense.is(0x27, 0x07) ? ErrorKind::no_space : ErrorKind::permission;
    default: return ErrorKind::io;
  }
}

}  // namespace

Cdb inquiry(uint16_t room) {
  Cdb cdb{.bytes = {0x12}, .length = 6};
  put(cdb, 3, room);
  return cdb;
}

Cdb inquiry_page(uint8_t page, uint16_t room) {
  Cdb cdb = inquiry(room);
  cdb.bytes[1] = 0x01;  // EVPD
  cdb.bytes[2] = page;
  return cdb;
}

Cdb mode_sense_6(uint8_t room) {
  constexpr uint8_t all_pages = 0x3f;
  return {.bytes = {0x1a, 0, all_pages, 0, room, 0}, .length = 6};
}

Cdb read_capacity_16(uint32_t room) {
  Cdb cdb{.bytes = {0x9e, 0x10}, .length = 16};  // SERVICE ACTION IN(16)
  put(cdb, 10, room);
  return cdb;
}

Cdb read_16(uint64_t block, uint32_t count) { return transfer(0x88, block, count); }
Cdb write_16(uint64_t block, uint32_t count) { return transfer(0x8a, block, count); }
Cdb synchronize_cache() { return {.bytes = {0x35}, .length = 10}; }

Result<Capacity> parse_capacity(Bytes answer) {
  const auto refused = [](std::string cause) {
    return failure(ErrorKind::unsupported, "read the capacity of", std::move(cause));
  };
  if (answer.size() < 16) return refused("its answer is too short");
  const auto last = load_be<uint64_t>(answer, 0);
  const auto block_size = load_be<uint32_t>(answer, 8);
  if (block_size < 512 || block_size > largest_block || !std::has_single_bit(block_size))
    return refused(fmt::format("it says that its blocks have {} bytes", block_size));
  if (last >= INT64_MAX / block_size) return refused(fmt::format("it says that its last block is {}", last));
  // Logical blocks in a physical one, as a power of two.
  const unsigned exponent = byte(answer, 13) & 0x0f;
  const uint64_t physical = uint64_t{block_size} << exponent;
  return Capacity{.blocks = last + 1,
                  .block_size = block_size,
                  .physical_block = static_cast<uint32_t>(physical <= largest_block ? physical : block_size)};
}

bool parse_write_protection(Bytes answer) {
  constexpr size_t header = 4, device_specific = 2;
  return answer.size() >= header && (byte(answer, device_specific) & 0x80) != 0;
}

std::optional<uint32_t> parse_max_transfer(Bytes page) {
  if (page.size() < 12 || byte(page, 1) != block_limits_page || load_be<uint16_t>(page, 2) < 8) return std::nullopt;
  const auto blocks = load_be<uint32_t>(page, 8);
  return blocks ? std::optional(blocks) : std::nullopt;
}

std::optional<Sense> parse_sense(Bytes bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const uint8_t format = byte(bytes, 0) & 0x7f;
  Sense sense{.deferred = (format & 1) != 0};
  if (format == 0x70 || format == 0x71) {
    sense.key = static_cast<SenseKey>(byte(bytes, 2) & 0x0f);
    if (bytes.size() >= 14) {
      sense.code = byte(bytes, 12);
      sense.qualifier = byte(bytes, 13);
    }
    if ((byte(bytes, 0) & 0x80) != 0 && bytes.size() >= 7) sense.information = load_be<uint32_t>(bytes, 3);
    return sense;
  }
  if (format != 0x72 && format != 0x73) return std::nullopt;
  sense.key = static_cast<SenseKey>(byte(bytes, 1) & 0x0f);
  sense.code = byte(bytes, 2);
  sense.qualifier = byte(bytes, 3);
  // Descriptors: type, length of what follows; type 0 is the information.
  for (size_t at = 8; at + 2 <= bytes.size(); at += 2 + byte(bytes, at + 1)) {
    if (byte(bytes, at) == 0x00 && at + 12 <= bytes.size() && (byte(bytes, at + 2) & 0x80) != 0)
      sense.information = load_be<uint64_t>(bytes, at + 4);
  }
  return sense;
}

std::string words_of(const Sense& sense) {
  std::string words(name_of(sense.key));
  const auto reason = std::ranges::find_if(reasons, [&](const Reason& each) {
    return each.code == sense.code && (each.qualifier < 0 || each.qualifier == sense.qualifier);
  });
  if (reason != reasons.end()) words += fmt::format(": {}", reason->words);
  if (sense.deferred) words += ", in an earlier command";
  return words +
         fmt::format(" (sense {:x}/{:02x}/{:02x})", static_cast<unsigned>(sense.key), sense.code, sense.qualifier);
}

Error error_of(const Sense& sense, std::string_view operation) {
  const ErrorKind kind = kind_of(sense);
  return {.kind = kind,
          .operation = std::string(operation),
          .subject = {},
          .offset = std::nullopt,
          .os_error = kind == ErrorKind::io ? EIO : 0,
          .cause = words_of(sense)};
}

}  // namespace disklathe::scsi
