// SPDX-License-Identifier: GPL-3.0-or-later
//
// Requests that are larger than a buffer: they wait until nothing else is in flight, and then go through two buffers,
// one being filled while the other is emptied.
#include <algorithm>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/nbd/queued_room.h"
#include "core/nbd/queued_session.h"

namespace disklathe::nbd {
namespace {

Task<Result<void>> keep(Task<Result<void>> task, Result<void>& result) {
  result = co_await task;
  co_return Result<void>{};
}

// What comes next of a range, not a unit in two parts.
Range next_piece(Range rest, uint64_t unit) {
  const uint64_t end = rest.at + std::min(rest.length, RequestBuffers::largest);
  const uint64_t whole = round_down(end, unit);
  return Range::between(rest.at, end == rest.end() || whole <= rest.at ? end : whole);
}

}  // namespace

// The request has been judged. False: the client is gone, or has to be.
Task<bool> QueuedSession::serve_alone(Request request) {
  co_await Room{*this, Room::alone};
  bool served = false;
  if (request.is(Command::read))
    served = co_await read_alone(request);
  else
    served = co_await write_alone(request);
  --in_flight_;
  co_return served;
}

Task<bool> QueuedSession::answer_alone(const Request& request, Code code) {
  Reply reply;
  answer(request, code, reply);
  co_return (co_await send_all({{reply.head.data(), reply.head.size()}})).has_value();
}

Task<bool> QueuedSession::read_alone(const Request& request) {
  traffic_.count_read({request.offset, request.length});
  if (Reply hole; put_whole_hole(request, hole))
    co_return (co_await send_all({{hole.head.data(), hole.head.size()}})).has_value();
  AlignedBuffer now = buffers_.take(RequestBuffers::largest), next = buffers_.take(RequestBuffers::largest);
  bool served = false;
  if (now.size() == 0 || next.size() == 0)
    served = co_await answer_alone(request, Code::no_memory);
  else if (terms_.dialect() == Dialect::simple)
    served = co_await read_simple(request, now, next);
  else
    served = co_await read_pieces(request, now, next);
  buffers_.give_back(std::move(now));
  buffers_.give_back(std::move(next));
  co_return served;
}

// A simple reply says that all is well before its first byte: all of it is read before. What two buffers hold is at
// hand then; more is read once to know that it can be, and once again to be sent.
Task<bool> QueuedSession::read_simple(const Request& request, AlignedBuffer& now, AlignedBuffer& next) {
  Range rest{request.offset, request.length};
  if (request.length > now.size() + next.size()) {
    while (!rest.empty()) {
      const Range piece = next_piece(rest, 1);
      if (auto read = co_await access_.read(ring_, piece.at, now.first(piece.length)); !read)
        co_return co_await answer_alone(request, code_of(read.error()));
      rest = Range::between(piece.end(), rest.end());
    }
    co_return co_await read_pieces(request, now, next);
  }
  const Range first = next_piece(rest, 1), second = Range::between(first.end(), rest.end());
  Result<void> one, two;
  std::vector<Task<Result<void>>> tasks;
  tasks.push_back(keep(access_.read(ring_, first.at, now.first(first.length)), one));
  tasks.push_back(keep(access_.read(ring_, second.at, next.first(second.length)), two));
  (void)co_await when_all(std::move(tasks));
  if (!one || !two) co_return co_await answer_alone(request, code_of((one ? two : one).error()));
  std::vector<std::byte> head(max_reply_header);
  head.resize(put_data(head, terms_.dialect(), request, done, request.offset, request.length));
  std::vector<iovec> parts{{head.data(), head.size()}, {now.data(), first.length}, {next.data(), second.length}};
  co_return (co_await send_all(std::move(parts))).has_value();
}

// Each piece is a chunk, sent when it was read; where they have to be one, a failure after its header is told in a
// chunk after it, or, where there is none, by ending the connection (of what could be read a moment before).
Task<bool> QueuedSession::read_pieces(const Request& request, AlignedBuffer& now, AlignedBuffer& next) {
  const bool simple = terms_.dialect() == Dialect::simple, whole = simple || request.has(df);
  std::vector<std::byte> head(max_reply_header);
  Range rest{request.offset, request.length};
  Range piece = next_piece(rest, 1);
  auto read = co_await access_.read(ring_, piece.at, now.first(piece.length));
  if (!read) co_return co_await answer_alone(request, code_of(read.error()));
  while (!rest.empty()) {
    std::vector<iovec> parts;
    if (!whole || piece.at == request.offset) {
      const uint64_t length = whole ? request.length : piece.length;
      parts.push_back({head.data(), put_data(head, terms_.dialect(), request, more, piece.at, length)});
    }
    parts.push_back({now.data(), piece.length});
    rest = Range::between(piece.end(), rest.end());
    const Range coming = rest.empty() ? Range{} : next_piece(rest, 1);
    Result<void> sent;
    std::vector<Task<Result<void>>> tasks;
    tasks.push_back(keep(send_all(std::move(parts)), sent));
    if (!coming.empty()) tasks.push_back(keep(access_.read(ring_, coming.at, next.first(coming.length)), read));
    (void)co_await when_all(std::move(tasks));
    if (!sent) co_return false;
    if (!read) break;
    std::swap(now, next);
    piece = coming;
  }
  if (!read && simple) co_return false;
  if (!read && whole) {
    std::ranges::fill(now.bytes(), std::byte{0});
    for (; !rest.empty(); rest = Range::between(piece.end(), rest.end())) {
      piece = next_piece(rest, 1);
      if (!co_await send_all({{now.data(), piece.length}})) co_return false;
    }
  }
  if (simple) co_return true;
  co_return co_await answer_alone(request, read ? Code::ok : code_of(read.error()));
}

Task<bool> QueuedSession::write_alone(const Request& request) {
  traffic_.count_write({request.offset, request.length});
  AlignedBuffer now = buffers_.take(RequestBuffers::largest), next = buffers_.take(RequestBuffers::largest);
  uint64_t received = 0;
  Code code = Code::no_memory;
  if (now.size() > 0 && next.size() > 0) {
    auto written = co_await write_pieces(request, now, next, received);
    if (written && request.has(fua)) written = co_await access_.flush(ring_);
    code = written ? Code::ok : code_of(written.error());
  }
  buffers_.give_back(std::move(now));
  buffers_.give_back(std::move(next));
  if (gone_ || !co_await skip_payload(request.length - received)) co_return false;
  co_return co_await answer_alone(request, code);
}

// received: of the payload, whatever became of it.
Task<Result<void>> QueuedSession::write_pieces(const Request& request, AlignedBuffer& now, AlignedBuffer& next,
                                               uint64_t& received) {
  Range rest{request.offset, request.length};
  Range piece = next_piece(rest, terms_.info.write_unit);
  Result<void> came = co_await receive_payload(now.first(piece.length)), written;
  while (came && written && !rest.empty()) {
    received += piece.length;
    rest = Range::between(piece.end(), rest.end());
    const Range coming = rest.empty() ? Range{} : next_piece(rest, terms_.info.write_unit);
    std::vector<Task<Result<void>>> tasks;
    tasks.push_back(keep(access_.write(ring_, piece.at, now.first(piece.length)), written));
    if (!coming.empty()) tasks.push_back(keep(receive_payload(next.first(coming.length)), came));
    (void)co_await when_all(std::move(tasks));
    std::swap(now, next);
    piece = coming;
  }
  if (came && !rest.empty()) received += piece.length;
  gone_ |= !came;
  co_return written;
}

}  // namespace disklathe::nbd
