// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/queued_session.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/nbd/block_status.h"
#include "core/nbd/carry_out.h"
#include "core/nbd/queued_room.h"

namespace disklathe::nbd {
namespace {

constexpr size_t input_size = 64 << 10;
constexpr unsigned most_in_flight = 128;
// Bytes in flight: enough for any device, and little enough that they are still in the processor's cache when they are
// sent. A client that has asked for much more is not kept waiting by that.
constexpr uint64_t most_leased = 2 << 20;
constexpr size_t sent_at_once = 1 << 20;
constexpr size_t replies_at_once = 256;
constexpr size_t runs_of_a_hole = 16;  // of what reads as zeroes, for a reply without bytes

}  // namespace

QueuedSession::QueuedSession(Connection& connection, Access& access, Terms terms, Bytes received, Traffic& traffic,
                             Ring& ring)
    : connection_(connection),
      access_(access),
      terms_(terms),
      traffic_(traffic),
      ring_(ring),
      input_(std::max(input_size, received.size())),
      end_(received.size()) {
  std::ranges::copy(received, input_.data());
}

void QueuedSession::run() {
  ring_.spawn(receive_requests());
  ring_.run();
}

bool QueuedSession::fits(uint64_t bytes) const {
  if (bytes == Room::alone) return in_flight_ == 0;
  return in_flight_ < most_in_flight && (leased_ == 0 || leased_ + bytes <= most_leased);
}

Task<void> QueuedSession::receive_requests() {
  const size_t header = request_size(terms_.dialect());
  for (;;) {
    while (end_ - begin_ >= header && !connection_.ending() && !gone_) {
      const auto request = parse_request(Bytes(input_).subspan(begin_, header), terms_.dialect());
      if (!request) {
        gone_ = true;  // what it says cannot be understood any more
        co_return;
      }
      begin_ += header;
      if (request->is(Command::disconnect)) co_return;  // what is in flight is still answered
      if (!co_await begin(*request)) {
        gone_ = true;
        co_return;
      }
    }
    if (connection_.ending() || gone_ || !co_await receive_more()) co_return;
  }
}

// False: the client is gone, or has to be.
Task<bool> QueuedSession::begin(Request request) {
  Code code = check(request, terms_);
  const uint64_t payload = payload_of(request, terms_);
  if (payload > most_payload_read) co_return false;
  Reply reply;
  bool carries = code == Code::ok && (request.is(Command::read) || request.is(Command::write));
  if (carries && request.length > RequestBuffers::largest) co_return co_await serve_alone(request);
  if (carries) reply.leased = request.length;
  co_await Room{*this, reply.leased};
  if (carries) {
    reply.data = buffers_.take(request.length);
    carries = reply.data.size() > 0;
    if (!carries) code = Code::no_memory;
  }
  if (payload > 0) {
    bool received = false;
    if (carries && request.is(Command::write))
      received = (co_await receive_payload(reply.data.first(payload))).has_value();
    else
      received = co_await skip_payload(payload);
    if (!received) {
      finish(std::move(reply));
      co_return false;
    }
    if (!request.is(Command::write)) code = Code::invalid;
  }
  if (code == Code::ok) {
    ring_.spawn(serve(request, std::move(reply)));
  } else {
    answer(request, code, reply);
    enqueue(std::move(reply));
  }
  co_return true;
}

Task<bool> QueuedSession::receive_more() {
  if (begin_ > 0) std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  for (;;) {
    const ssize_t count = connection_.try_receive(MutableBytes(input_).subspan(end_));
    if (count >= 0) {
      end_ += static_cast<size_t>(count);
      co_return count > 0;
    }
    co_await ring_.perform({.fd = connection_.fd()}, {.op = IoOp::poll, .flags = POLLIN});
  }
}

Task<Result<void>> QueuedSession::receive_payload(MutableBytes into) {
  const size_t here = std::min(end_ - begin_, into.size());
  std::memcpy(into.data(), input_.data() + begin_, here);
  begin_ += here;
  into = into.subspan(here);
  while (!into.empty()) {
    const ssize_t count = connection_.try_receive(into);
    if (count == 0) co_return failure(ErrorKind::vanished, "receive", "the client is gone");
    if (count < 0)
      co_await ring_.perform({.fd = connection_.fd()}, {.op = IoOp::poll, .flags = POLLIN});
    else
      into = into.subspan(static_cast<size_t>(count));
  }
  co_return Result<void>{};
}

Task<bool> QueuedSession::skip_payload(uint64_t length) {
  while (length > 0) {
    if (begin_ == end_ && !co_await receive_more()) co_return false;
    const size_t part = std::min<uint64_t>(end_ - begin_, length);
    begin_ += part;
    length -= part;
  }
  co_return true;
}

Task<void> QueuedSession::serve(Request request, Reply reply) {
  const Code code = co_await answer_of(request, reply);
  // A read and a block status have put what they answer already.
  if (code != Code::ok || reply.head.empty()) answer(request, code, reply);
  enqueue(std::move(reply));
}

Task<Code> QueuedSession::answer_of(const Request& request, Reply& reply) {
  if (request.is(Command::read))
    traffic_.count_read({request.offset, request.length});
  else if (writes(request))
    traffic_.count_write({request.offset, request.length});
  else
    traffic_.count();
  if (request.is(Command::read)) co_return co_await read(request, reply);
  if (request.is(Command::block_status)) {
    const auto told = append_block_status(access_, terms_, request, reply.head);
    co_return told ? Code::ok : code_of(told.error());
  }
  if (!request.is(Command::write)) co_return co_await carry_out(access_, ring_, connection_, request);
  auto done = co_await access_.write(ring_, request.offset, reply.data.first(request.length));
  if (done && request.has(fua)) done = co_await access_.flush(ring_);
  co_return done ? Code::ok : code_of(done.error());
}

Task<Code> QueuedSession::read(const Request& request, Reply& reply) {
  if (put_whole_hole(request, reply)) co_return Code::ok;
  if (auto filled = co_await access_.read(ring_, request.offset, reply.data.first(request.length)); !filled)
    co_return code_of(filled.error());
  reply.head.resize(max_reply_header);
  reply.head.resize(put_data(reply.head, terms_.dialect(), request, done, request.offset, request.length));
  reply.length = request.length;
  co_return Code::ok;
}

// Whether all of it reads as zeroes, and the reply says so without a byte of it. What cannot be found out is read.
bool QueuedSession::put_whole_hole(const Request& request, Reply& reply) {
  if (terms_.dialect() == Dialect::simple || request.has(df)) return false;
  std::vector<Run> runs;
  const Range range{request.offset, request.length};
  if (!access_.map(range, Look::at_image, runs_of_a_hole, runs)) return false;
  if (runs.back().range.end() != range.end() || !std::ranges::all_of(runs, &Run::zero)) return false;
  reply.head.resize(max_reply_header);
  reply.head.resize(
      put_hole(reply.head, terms_.dialect(), request, done, range.at, static_cast<uint32_t>(range.length)));
  return true;
}

void QueuedSession::answer(const Request& request, Code code, Reply& reply) const {
  reply.head.resize(max_reply_header);
  reply.head.resize(put_result(reply.head, terms_.dialect(), request, code));
  reply.length = 0;
}

void QueuedSession::enqueue(Reply reply) {
  replies_.push_back(std::move(reply));
  if (sending_) return;
  sending_ = true;
  ring_.spawn(send_replies());
}

Task<void> QueuedSession::send_replies() {
  std::vector<Reply> batch;
  co_await ring_.next_turn();  // with all that completes together
  while (!replies_.empty()) {
    std::vector<iovec> parts;
    size_t bytes = 0;
    while (!replies_.empty() && batch.size() < replies_at_once && bytes < sent_at_once) {
      batch.push_back(std::move(replies_.front()));
      replies_.pop_front();
      bytes += batch.back().head.size() + batch.back().length;
    }
    for (Reply& reply : batch) {
      parts.push_back({reply.head.data(), reply.head.size()});
      if (reply.length > 0) parts.push_back({reply.data.data(), reply.length});
    }
    (void)co_await send_all(std::move(parts));
    for (Reply& reply : batch) finish(std::move(reply));
    batch.clear();
  }
  sending_ = false;
}

Task<Result<void>> QueuedSession::send_all(std::vector<iovec> parts) {
  std::span<iovec> rest(parts);
  while (!rest.empty() && !gone_) {
    const ssize_t count = connection_.try_send(rest);
    if (count > 0) {
      rest = skip_parts(rest, static_cast<size_t>(count));
    } else if (count == 0) {
      gone_ = true;
      connection_.cut();  // wakes the receiver
    } else {
      co_await ring_.perform({.fd = connection_.fd()}, {.op = IoOp::poll, .flags = POLLOUT});
    }
  }
  if (gone_) co_return failure(ErrorKind::vanished, "send", "the client is gone");
  co_return Result<void>{};
}

// Gives back what the request took.
void QueuedSession::finish(Reply reply) {
  --in_flight_;
  leased_ -= reply.leased;
  buffers_.give_back(std::move(reply.data));
  if (waiter_ && fits(wanted_)) std::exchange(waiter_, {}).resume();
}

}  // namespace disklathe::nbd
