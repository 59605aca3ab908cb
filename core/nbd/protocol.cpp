// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/protocol.h"

#include <cerrno>

#include "core/base/endian.h"

namespace disklathe::nbd {

Code code_of(const Error& error) {
  switch (error.os_error) {
    case EPERM:
    case EACCES:
    case EROFS: return Code::not_permitted;
    case ENOMEM: return Code::no_memory;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return error.kind == ErrorKind::vanished ? Code::io : Code::no_space;
    default: break;
  }
  switch (error.kind) {
    case ErrorKind::no_space: return Code::no_space;
    case ErrorKind::permission: return Code::not_permitted;
    case ErrorKind::invalid: return Code::invalid;
    default: return Code::io;
  }
}

std::optional<Request> parse_request(Bytes bytes, Dialect dialect) {
  const bool extended = dialect == Dialect::extended;
  if (load_be<uint32_t>(bytes) != (extended ? extended_request_magic : request_magic)) return std::nullopt;
  return Request{.flags = load_be<uint16_t>(bytes, 4),
                 .type = load_be<uint16_t>(bytes, 6),
                 .cookie = load_be<uint64_t>(bytes, 8),
                 .offset = load_be<uint64_t>(bytes, 16),
                 .length = extended ? load_be<uint64_t>(bytes, 24) : load_be<uint32_t>(bytes, 24)};
}

namespace {

size_t put_simple(MutableBytes to, const Request& request, Code code) {
  store_be(to, 0, simple_reply_magic);
  store_be(to, 4, static_cast<uint32_t>(code));
  store_be(to, 8, request.cookie);
  return 16;
}

}  // namespace

size_t put_chunk(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, Chunk type,
                 uint64_t payload_length) {
  const bool extended = dialect == Dialect::extended;
  store_be(to, 0, extended ? extended_reply_magic : structured_reply_magic);
  store_be<uint16_t>(to, 4, flag);
  store_be(to, 6, static_cast<uint16_t>(type));
  store_be(to, 8, request.cookie);
  if (!extended) {
    store_be(to, 16, static_cast<uint32_t>(payload_length));
    return 20;
  }
  store_be(to, 16, request.offset);
  store_be(to, 24, payload_length);
  return 32;
}

size_t put_data(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, uint64_t offset,
                uint64_t length) {
  if (dialect == Dialect::simple) return put_simple(to, request, Code::ok);
  const size_t header = put_chunk(to, dialect, request, flag, Chunk::offset_data, 8 + length);
  store_be(to, header, offset);
  return header + 8;
}

size_t put_hole(MutableBytes to, Dialect dialect, const Request& request, ChunkFlag flag, uint64_t offset,
                uint32_t length) {
  const size_t header = put_chunk(to, dialect, request, flag, Chunk::offset_hole, 12);
  store_be(to, header, offset);
  store_be(to, header + 8, length);
  return header + 12;
}

size_t put_result(MutableBytes to, Dialect dialect, const Request& request, Code code) {
  const bool had_chunks = request.is(Command::read) || request.is(Command::block_status);
  const bool simple_allowed = dialect == Dialect::simple || (dialect == Dialect::structured && !had_chunks);
  if (simple_allowed) return put_simple(to, request, code);
  if (code == Code::ok) return put_chunk(to, dialect, request, done, Chunk::none, 0);
  const size_t header = put_chunk(to, dialect, request, done, Chunk::error, 6);
  store_be(to, header, static_cast<uint32_t>(code));
  store_be<uint16_t>(to, header + 4, 0);  // no words to it
  return header + 6;
}

}  // namespace disklathe::nbd
