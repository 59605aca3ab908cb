// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/error.h"

// The words of the NBD protocol (github.com/NetworkBlockDevice/nbd, doc/proto.md; extended headers: its branch
// extension-ext-header). All numbers on the wire are big-endian.
namespace disklathe::nbd {

inline constexpr uint64_t greeting_magic = 0x4e42444d41474943;  // "NBDMAGIC"
inline constexpr uint64_t option_magic = 0x49484156454f5054;    // "IHAVEOPT"
inline constexpr uint64_t option_reply_magic = 0x0003e889045565a9;
inline constexpr uint32_t request_magic = 0x25609513, extended_request_magic = 0x21e41c71;
inline constexpr uint32_t simple_reply_magic = 0x67446698, structured_reply_magic = 0x668e33ef;
inline constexpr uint32_t extended_reply_magic = 0x6e8a278c;

enum HandshakeFlag : uint16_t { fixed_newstyle = 1, no_zeroes = 2 };

enum class Option : uint32_t {
  export_name = 1,
  abort = 2,
  list = 3,
  start_tls = 5,
  info = 6,
  go = 7,
  structured_reply = 8,
  list_meta_context = 9,
  set_meta_context = 10,
  extended_headers = 11,
};

enum class OptionReply : uint32_t {
  ack = 1,
  server = 2,
  info = 3,
  meta_context = 4,
  unsupported = 0x80000001,
  policy = 0x80000002,
  invalid = 0x80000003,
  tls_required = 0x80000005,
  unknown = 0x80000006,
  too_big = 0x80000009,
  extended_required = 0x8000000a,
};

enum class Info : uint16_t { export_ = 0, name = 1, description = 2, block_size = 3 };

enum TransmissionFlag : uint16_t {
  has_flags = 1 << 0,
  read_only = 1 << 1,
  send_flush = 1 << 2,
  send_fua = 1 << 3,
  rotational = 1 << 4,
  send_trim = 1 << 5,
  send_write_zeroes = 1 << 6,
  send_df = 1 << 7,
  can_multi_conn = 1 << 8,
  send_cache = 1 << 10,
  send_fast_zero = 1 << 11,
};

enum class Command : uint16_t {
  read = 0,
  write = 1,
  disconnect = 2,
  flush = 3,
  trim = 4,
  cache = 5,
  write_zeroes = 6,
  block_status = 7,
};

enum CommandFlag : uint16_t {
  fua = 1 << 0,
  no_hole = 1 << 1,
  df = 1 << 2,
  req_one = 1 << 3,
  fast_zero = 1 << 4,
  payload_length = 1 << 5,
};

enum class Chunk : uint16_t {
  none = 0,
  offset_data = 1,
  offset_hole = 2,
  block_status = 5,
  block_status_extended = 6,
  error = 0x8001,
};
enum ChunkFlag : uint16_t { more = 0, done = 1 };

enum StatusFlag : uint32_t { status_hole = 1, status_zero = 2 };  // of base:allocation
inline constexpr uint32_t status_dirty = 1;                       // of qemu:dirty-bitmap

// Error values as they go over the wire: a few, and the same on every system.
enum class Code : uint32_t {
  ok = 0,
  not_permitted = 1,
  io = 5,
  no_memory = 12,
  invalid = 22,
  no_space = 28,
  overflow = 75,
  not_supported = 95,
  shutdown = 108,
};
Code code_of(const Error& error);

// Names and other strings are never longer.
inline constexpr size_t max_string = 4096;

// What is advertised, and how much one request moves at most; never what a device below takes at once, the kernel cuts
// that. Preferred: clients that copy take it as the grain of zeroes.
inline constexpr uint32_t preferred_block = 4096;
inline constexpr uint32_t max_payload = 32 << 20;

// How both sides speak after the handshake.
enum class Dialect : uint8_t { simple, structured, extended };

struct Request {
  uint16_t flags = 0;
  uint16_t type = 0;  // a Command, if it is a known one
  uint64_t cookie = 0;
  uint64_t offset = 0;
  uint64_t length = 0;

  bool is(Command command) const { return type == static_cast<uint16_t>(command); }
  bool has(CommandFlag flag) const { return (flags & flag) != 0; }
};

constexpr size_t request_size(Dialect dialect) { return dialect == Dialect::extended ? 32 : 28; }
// From request_size() bytes. Nothing: the magic is wrong, and with it all that would follow.
std::optional<Request> parse_request(Bytes bytes, Dialect dialect);

// The longest header of a reply, with what of fixed size follows it in its payload.
inline constexpr size_t max_reply_header = 64;

// These write to the start of `to` (max_reply_header bytes) and return how many bytes they wrote.
//
// The header of a chunk with so many bytes of payload. Not in the simple dialect.
size_t put_chunk(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, Chunk type,
                 uint64_t payload_length);
// The header of bytes read: `length` of them follow, from `offset` of the export on.
size_t put_data(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, uint64_t offset,
                uint64_t length);
size_t put_hole(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, uint64_t offset,
                uint32_t length);
// The end of a reply: an error, or success that has no payload.
size_t put_result(MutableBytes to, Dialect dialect, const Request& request, Code code);

}  // namespace disklathe::nbd
