// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/nbd/connection.h"

namespace disklathe::nbd {

// What is on its way to one client, in order: put together in memory that is used again, sent in as few calls as that
// takes. Without a client it does not matter what becomes of it: the next thing sent fails too.
class ReplyQueue {
 public:
  explicit ReplyQueue(Connection& connection);

  // Bytes that are copied are sent before they leave the processor's cache again.
  static constexpr size_t copied_at_once = 256 << 10;

  // Where the next bytes are put together; they go with add(). At most copied_at_once and a header.
  MutableBytes room(size_t size);
  // Of room(), or of memory that stays until they are sent.
  void add(const void* from, size_t size);
  // Whether it is time to send: so many bytes, or pieces of memory.
  bool full() const { return queued_ >= copied_at_once || parts_.size() >= most_parts; }

  // False: the client is gone. more: more will follow at once.
  bool send(bool more = false);
  // Adds zeroes, and sends what becomes too much.
  bool pad(uint64_t length);

 private:
  static constexpr size_t most_parts = 900;

  Connection& connection_;
  AlignedBuffer arena_;  // headers and bytes on their way out
  size_t arena_used_ = 0;
  std::vector<iovec> parts_;  // to be sent, in order
  size_t queued_ = 0;         // bytes in them
};

}  // namespace disklathe::nbd
