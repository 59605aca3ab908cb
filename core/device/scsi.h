// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"

// Commands of SCSI disks as bytes, and what devices answer. Numbers are big-endian. SPC: SCSI Primary Commands (T10
// SPC-5); SBC: SCSI Block Commands (T10 SBC-4).
namespace disklathe::scsi {

// A command descriptor block.
struct Cdb {
  std::array<uint8_t, 16> bytes{};
  uint8_t length = 0;
};

Cdb inquiry(uint16_t room);                     // SPC 6.7; room: bytes for the answer
Cdb inquiry_page(uint8_t page, uint16_t room);  // a vital product data page
Cdb mode_sense_6(uint8_t room);                 // SPC 6.14; all pages, of which the header is of interest
Cdb read_capacity_16(uint32_t room);            // SBC 5.20
Cdb read_16(uint64_t block, uint32_t count);    // SBC 5.16; count: blocks
Cdb write_16(uint64_t block, uint32_t count);   // SBC 5.46
Cdb synchronize_cache();                        // SBC 5.35: of all blocks, answered when it is done

inline constexpr uint8_t disk_type = 0x00;          // INQUIRY: direct access block device
inline constexpr uint8_t block_limits_page = 0xb0;  // SBC 6.6.4

struct Capacity {
  uint64_t blocks = 0;
  uint32_t block_size = 0;      // bytes, a power of two
  uint32_t physical_block = 0;  // bytes
};
// Of the answer to READ CAPACITY(16). Errors: unsupported (blocks of a size no disk has, or with nothing in them).
Result<Capacity> parse_capacity(Bytes answer);

// MAXIMUM TRANSFER LENGTH of the block limits page, in blocks. Nothing: it names none, or is no such page.
std::optional<uint32_t> parse_max_transfer(Bytes page);

// WP of the header that answers MODE SENSE(6) begin with (SBC 6.5.1); false of one that is too short.
bool parse_write_protection(Bytes answer);

// Status bytes (SAM-6 5.3.1).
inline constexpr uint8_t status_good = 0x00, status_check_condition = 0x02, status_busy = 0x08,
                         status_reservation_conflict = 0x18, status_task_set_full = 0x28;

enum class SenseKey : uint8_t {  // SPC 4.4.8
  no_sense = 0x0,
  recovered_error = 0x1,
  not_ready = 0x2,
  medium_error = 0x3,
  hardware_error = 0x4,
  illegal_request = 0x5,
  unit_attention = 0x6,
  data_protect = 0x7,
  aborted_command = 0xb,
};

// Why a command did not go well.
struct Sense {
  SenseKey key = SenseKey::no_sense;
  uint8_t code = 0, qualifier = 0;      // ASC, ASCQ
  bool deferred = false;                // about an earlier command; the one that was sent has not been done
  std::optional<uint64_t> information;  // of a medium error: the block

  bool is(uint8_t asc) const { return code == asc; }
  bool is(uint8_t asc, uint8_t ascq) const { return code == asc && qualifier == ascq; }
};
// Fixed and descriptor format (SPC 4.4.2, 4.4.3). Nothing: too short, or of no format that is known.
std::optional<Sense> parse_sense(Bytes bytes);

// "medium error: unrecovered read error (sense 3/11/00)"
std::string words_of(const Sense& sense);
// As an error: which kind, with its words as the cause.
Error error_of(const Sense& sense, std::string_view operation);

}  // namespace disklathe::scsi
