// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/nbd/connection.h"
#include "core/nbd/request_buffers.h"
#include "core/nbd/terms.h"
#include "core/nbd/traffic.h"

namespace disklathe::nbd {

// Serves one client from devices and direct I/O, on a ring of the calling thread: each request is a coroutine, answered
// when it is done, and what is done together is sent together. Requests and bytes in flight are bounded; a client that
// wants more waits. Large requests go alone, in pieces.
class QueuedSession {
 public:
  // As CachedSession; the ring is of the thread that calls run().
  QueuedSession(Connection& connection, Access& access, Terms terms, Bytes received, Traffic& traffic, Ring& ring);

  void run();

 private:
  // What is to be sent for one request.
  struct Reply {
    std::vector<std::byte> head;
    AlignedBuffer data;
    uint64_t length = 0;  // of data, after head
    uint64_t leased = 0;  // bytes it counts for until it is sent
  };
  friend struct Room;

  Task<void> receive_requests();
  Task<bool> begin(Request request);
  Task<bool> receive_more();
  Task<Result<void>> receive_payload(MutableBytes into);
  Task<bool> skip_payload(uint64_t length);
  Task<void> serve(Request request, Reply reply);
  Task<Code> answer_of(const Request& request, Reply& reply);
  Task<Code> read(const Request& request, Reply& reply);
  bool put_whole_hole(const Request& request, Reply& reply);

  // Those larger than a buffer (queued_alone.cpp).
  Task<bool> serve_alone(Request request);
  Task<bool> read_alone(const Request& request);
  Task<bool> read_simple(const Request& request, AlignedBuffer& now, AlignedBuffer& next);
  Task<bool> read_pieces(const Request& request, AlignedBuffer& now, AlignedBuffer& next);
  Task<bool> write_alone(const Request& request);
  Task<Result<void>> write_pieces(const Request& request, AlignedBuffer& now, AlignedBuffer& next, uint64_t& received);
  Task<bool> answer_alone(const Request& request, Code code);

  Task<void> send_replies();
  Task<Result<void>> send_all(std::vector<iovec> parts);
  void enqueue(Reply reply);
  void finish(Reply reply);

  bool fits(uint64_t bytes) const;
  void answer(const Request& request, Code code, Reply& reply) const;

  Connection& connection_;
  Access& access_;
  const Terms terms_;
  Traffic& traffic_;
  Ring& ring_;

  std::vector<std::byte> input_;  // [begin_, end_) is still to be dealt with
  size_t begin_ = 0, end_ = 0;
  unsigned in_flight_ = 0;
  uint64_t leased_ = 0;
  std::coroutine_handle<> waiter_;  // the receiver, for room
  uint64_t wanted_ = 0;             // bytes it waits for
  RequestBuffers buffers_;
  std::deque<Reply> replies_;
  bool sending_ = false, gone_ = false;
};

}  // namespace disklathe::nbd
