// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/nbd/connection.h"
#include "core/nbd/terms.h"
#include "core/nbd/traffic.h"

namespace disklathe::nbd {

// Serves one client from devices and direct I/O, on a ring of the calling thread: each request is a coroutine, answered
// when it is done, and what is done together is sent together. Requests and bytes in flight are bounded; a client that
// wants more waits.
class QueuedSession {
 public:
  // As CachedSession.
  QueuedSession(Connection& connection, Access& access, Terms terms, Bytes received, Traffic& traffic);
  ~QueuedSession();

  void run();

 private:
  // What is to be sent for one request.
  struct Reply {
    std::vector<std::byte> head;
    AlignedBuffer data;
    uint64_t length = 0;  // of data, after head
    uint64_t leased = 0;  // bytes it counts for until it is sent
  };
  struct Room;

  Task<void> receive_requests();
  Task<bool> begin(Request request);
  Task<bool> receive_more();
  Task<bool> receive_payload(MutableBytes into);
  Task<bool> skip_payload(uint64_t length);
  Task<void> serve(Request request, Reply reply);
  Task<Code> answer_of(const Request& request, Reply& reply);
  Task<Code> read(const Request& request, Reply& reply);
  Task<void> send_replies();
  void enqueue(Reply reply);
  void finish(Reply reply);

  bool fits(uint64_t bytes) const;
  AlignedBuffer take_buffer(uint64_t bytes);
  void answer(const Request& request, Code code, Reply& reply) const;

  Connection& connection_;
  Access& access_;
  const Terms terms_;
  Traffic& traffic_;
  std::unique_ptr<Ring> ring_;

  std::vector<std::byte> input_;  // [begin_, end_) is still to be dealt with
  size_t begin_ = 0, end_ = 0;
  unsigned in_flight_ = 0;
  uint64_t leased_ = 0;
  std::coroutine_handle<> waiter_;  // the receiver, for room
  uint64_t wanted_ = 0;             // bytes it waits for
  std::vector<AlignedBuffer> small_, large_;
  std::deque<Reply> replies_;
  bool sending_ = false, gone_ = false;
};

}  // namespace disklathe::nbd
