// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/cached_session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/arithmetic.h"
#include "core/nbd/block_status.h"
#include "core/nbd/carry_out.h"

namespace disklathe::nbd {
namespace {

constexpr size_t input_size = 256 << 10;
constexpr size_t copied_at_once = ReplyQueue::copied_at_once;
constexpr size_t least_space = 4 << 10;  // to receive into
// Fewer bytes are copied: a system call of their own costs more.
constexpr uint64_t least_passed = 16 << 10;
// Shorter runs of zeroes are sent as zeroes: every chunk is work for the client too.
constexpr uint64_t least_hole = 64 << 10;
constexpr uint64_t least_look = 64 << 10;  // reads that it is worth to look for holes for

template <class T>
Task<void> keep(Task<T> task, T& result) {
  result = co_await task;
}

uint64_t length_of(std::span<const Run> runs) {
  return runs.empty() ? 0 : runs.back().range.end() - runs.front().range.at;
}

// The parts of runs that lie in the range.
std::vector<Run> cut(std::span<const Run> runs, Range range) {
  std::vector<Run> part;
  for (const Run& run : runs) {
    const Range common = intersection(run.range, range);
    if (common.empty()) continue;
    part.push_back(run);
    part.back().at += common.at - run.range.at;
    part.back().range = common;
  }
  return part;
}

bool may_pass(std::span<const Run> runs) {
  return length_of(runs) >= least_passed &&
         std::ranges::all_of(runs, [](const Run& run) { return run.zero || run.fd >= 0; });
}

}  // namespace

CachedSession::CachedSession(Connection& connection, Access& access, Terms terms, Bytes received, Traffic& traffic)
    : connection_(connection),
      access_(access),
      terms_(terms),
      traffic_(traffic),
      input_(input_size, 4096),
      end_(received.size()),
      replies_(connection) {
  std::ranges::copy(received, input_.data());
}

CachedSession::~CachedSession() = default;

void CachedSession::run() {
  auto ring = Ring::create(RingKind::immediate);
  if (!ring) return;
  ring_ = std::move(*ring);
  const size_t header = request_size(terms_.dialect());
  do {
    while (end_ - begin_ >= header && !connection_.ending()) {
      const auto request = parse_request(input_.bytes().subspan(begin_, header), terms_.dialect());
      if (!request) return;
      begin_ += header;
      if (request->is(Command::disconnect)) {
        (void)replies_.send();
        return;
      }
      if (!serve(*request)) return;
    }
  } while (replies_.send() && !connection_.ending() && fill());
}

// Each of these returns false when the connection is to be closed.
bool CachedSession::serve(const Request& request) {
  const Code code = check(request, terms_);
  if (const uint64_t payload = payload_of(request, terms_); payload > 0) {
    if (payload > most_payload_read) return false;
    if (request.is(Command::write)) return serve_write(request, code);
    return skip_payload(payload) && answer(request, Code::invalid);
  }
  if (code != Code::ok) return answer(request, code);
  if (request.is(Command::read)) return read(request);
  if (request.is(Command::block_status)) return answer_block_status(request);
  Code result = Code::io;
  if (writes(request))
    traffic_.count_write({request.offset, request.length});
  else
    traffic_.count();
  finish(carry_out(access_, *ring_, connection_, request), result);
  return answer(request, result);
}

// The payload goes to the export as it comes; it is never held whole.
bool CachedSession::serve_write(const Request& request, Code code) {
  uint64_t done = 0;
  while (done < request.length) {
    if (begin_ == end_ && !(replies_.send() && fill())) return false;
    const uint64_t at = request.offset + done;
    uint64_t size = std::min<uint64_t>(end_ - begin_, request.length - done);
    if (done + size < request.length) {
      // Not a unit in two parts, as far as there is room for a whole one.
      if (const uint64_t whole = round_down(at + size, terms_.info.write_unit); whole > at) {
        size = whole - at;
      } else if (end_ - begin_ + least_space <= input_.size()) {
        if (!(replies_.send() && fill())) return false;
        continue;
      }
    }
    const MutableBytes part = input_.bytes().subspan(begin_, size);
    if (code == Code::ok) {
      if (auto written = finish(access_.write(*ring_, request.offset + done, part)); !written)
        code = code_of(written.error());
    }
    begin_ += part.size();
    done += part.size();
  }
  if (code == Code::ok && request.has(fua)) {
    if (auto flushed = finish(access_.flush(*ring_)); !flushed) code = code_of(flushed.error());
  }
  if (code == Code::ok)
    traffic_.count_write({request.offset, request.length});
  else
    traffic_.count();
  return answer(request, code);
}

bool CachedSession::skip_payload(uint64_t length) {
  while (length > 0) {
    if (begin_ == end_ && !(replies_.send() && fill())) return false;
    const size_t part = std::min<uint64_t>(end_ - begin_, length);
    begin_ += part;
    length -= part;
  }
  return true;
}

bool CachedSession::read(const Request& request) {
  runs_.clear();
  const bool whole = terms_.dialect() == Dialect::simple || request.has(df);
  // What may change has to be looked for anew each time, which costs more than it saves.
  const bool looks = !whole && request.length >= least_look && !terms_.info.writable;
  const Look look = looks ? Look::at_files : Look::at_image;
  const Range range{request.offset, request.length};
  traffic_.count_read(range);
  for (uint64_t at = range.at; at < range.end(); at = runs_.back().range.end()) {
    if (auto mapped = access_.map(Range::between(at, range.end()), look, max_runs, runs_); !mapped)
      return answer(request, code_of(mapped.error()));
  }
  return whole ? read_whole(request, runs_) : read_chunks(request, runs_);
}

// One header, and all bytes after it: what fails after the header was sent can only end the connection, or (in a chunk)
// be padded and told after.
bool CachedSession::read_whole(const Request& request, std::span<const Run> runs) {
  if (connection_.can_send_file() && may_pass(runs)) return pass_chunk(request, runs);
  if (request.length <= copied_at_once) return copy_chunk(request, runs, done) != Sent::gone;
  const bool structured = terms_.dialect() != Dialect::simple;
  const MutableBytes header = replies_.room(max_reply_header);
  replies_.add(header.data(), put_data(header, terms_.dialect(), request, more, request.offset, request.length));
  for (uint64_t at = 0; at < request.length;) {
    const uint64_t length = std::min<uint64_t>(request.length - at, copied_at_once);
    const MutableBytes into = replies_.room(length);
    if (auto fetched = fetch(cut(runs, {request.offset + at, length}), into); !fetched)
      return structured && replies_.pad(request.length - at) && answer(request, code_of(fetched.error()));
    replies_.add(into.data(), into.size());
    at += length;
    if (!replies_.send(true)) return false;
  }
  return !structured || answer(request, Code::ok);
}

// Holes as holes, what is between them in chunks.
bool CachedSession::read_chunks(const Request& request, std::span<const Run> runs) {
  const auto is_hole = [](const Run& run) { return run.zero && run.range.length >= least_hole; };
  bool over = false;  // the reply has its last chunk
  while (!runs.empty() && !over) {
    if (is_hole(runs.front())) {
      over = runs.size() == 1;
      const Range hole = runs.front().range;
      const MutableBytes header = replies_.room(max_reply_header);
      replies_.add(header.data(), put_hole(header, terms_.dialect(), request, over ? done : more, hole.at,
                                           static_cast<uint32_t>(hole.length)));
      runs = runs.subspan(1);
      continue;
    }
    const auto group = static_cast<size_t>(std::ranges::find_if(runs, is_hole) - runs.begin());
    if (!read_group(request, runs.first(group), over)) return false;
    runs = runs.subspan(group);
  }
  return over || answer(request, Code::ok);
}

// Passed on where that is possible, else cut to what is copied well.
bool CachedSession::read_group(const Request& request, std::span<const Run> group, bool& over) {
  if (connection_.can_send_file() && may_pass(group)) {
    const MutableBytes header = replies_.room(max_reply_header);
    replies_.add(header.data(),
                 put_data(header, terms_.dialect(), request, more, group.front().range.at, length_of(group)));
    bool complete = true;
    if (!pass(group, complete)) return false;
    over = !complete;
    return complete || answer(request, Code::io);
  }
  const uint64_t end = group.back().range.end();
  for (uint64_t at = group.front().range.at; at < end && !over;) {
    const Range part{at, std::min<uint64_t>(end - at, copied_at_once)};
    const bool last = part.end() == request.offset + request.length;
    const Sent sent = copy_chunk(request, cut(group, part), last ? done : more);
    if (sent == Sent::gone) return false;
    over = last || sent == Sent::error;
    at = part.end();
  }
  return true;
}

// The bytes are here before their header is: what fails is an honest error, and ends the reply.
CachedSession::Sent CachedSession::copy_chunk(const Request& request, std::span<const Run> runs, ChunkFlag flag) {
  const uint64_t length = length_of(runs);
  const MutableBytes space = replies_.room(max_reply_header + length);
  const size_t header = put_data(space, terms_.dialect(), request, flag, runs.front().range.at, length);
  if (auto fetched = fetch(runs, space.subspan(header, length)); !fetched)
    return answer(request, code_of(fetched.error())) ? Sent::error : Sent::gone;
  replies_.add(space.data(), header + length);
  return !replies_.full() || replies_.send() ? Sent::yes : Sent::gone;
}

Result<void> CachedSession::fetch(std::span<const Run> runs, MutableBytes into) {
  const uint64_t start = runs.front().range.at;
  for (const Run& run : runs) {
    const MutableBytes part = into.subspan(run.range.at - start, run.range.length);
    if (run.zero) {
      std::ranges::fill(part, std::byte{0});
    } else if (run.fd >= 0) {
      const iovec vector{part.data(), part.size()};
      if (auto read = read_all_now(run.fd, run.at, {&vector, 1}); !read) return read;
    } else if (auto read = finish(access_.read(*ring_, run.range.at, part)); !read) {
      return read;
    }
  }
  return {};
}

bool CachedSession::pass_chunk(const Request& request, std::span<const Run> runs) {
  const MutableBytes header = replies_.room(max_reply_header);
  replies_.add(header.data(), put_data(header, terms_.dialect(), request, more, request.offset, request.length));
  bool complete = true;
  if (!pass(runs, complete)) return false;
  if (terms_.dialect() == Dialect::simple) return true;
  return answer(request, complete ? Code::ok : Code::io);
}

// complete: false when a file did not have all of it; zeroes took its place, and an error has to follow.
bool CachedSession::pass(std::span<const Run> runs, bool& complete) {
  for (const Run& run : runs) {
    if (run.zero) {
      if (!replies_.pad(run.range.length)) return false;
      continue;
    }
    if (!replies_.send(true)) return false;
    const auto sent = connection_.send_file(run.fd, run.at, run.range.length);
    if (!sent) return false;
    if (*sent < run.range.length && !copy_rest(run, *sent, complete)) return false;
  }
  return true;
}

// Of what the kernel did not pass on: some file systems do not, and a file may have become shorter.
bool CachedSession::copy_rest(Run run, uint64_t sent, bool& complete) {
  const uint64_t end = run.range.end();
  for (uint64_t at = run.range.at + sent; at < end;) {
    const Range part{at, std::min<uint64_t>(end - at, copied_at_once)};
    const MutableBytes into = replies_.room(part.length);
    if (auto fetched = fetch(cut({&run, 1}, part), into); !fetched) {
      // A simple reply has said that all is well: it must not come to its end.
      if (terms_.dialect() == Dialect::simple) return false;
      complete = false;
      return replies_.pad(end - at);
    }
    replies_.add(into.data(), into.size());
    at = part.end();
    if (!replies_.send(true)) return false;
  }
  return true;
}

bool CachedSession::answer_block_status(const Request& request) {
  status_.clear();
  traffic_.count();
  if (auto told = append_block_status(access_, terms_, request, status_); !told)
    return answer(request, code_of(told.error()));
  replies_.add(status_.data(), status_.size());
  return replies_.send();
}

template <class T>
void CachedSession::finish(Task<T> task, T& result) {
  ring_->spawn(keep(std::move(task), result));
  ring_->run();
}

Result<void> CachedSession::finish(Task<Result<void>> task) {
  Result<void> result;
  finish(std::move(task), result);
  return result;
}

bool CachedSession::answer(const Request& request, Code code) {
  const MutableBytes space = replies_.room(max_reply_header);
  replies_.add(space.data(), put_result(space, terms_.dialect(), request, code));
  return !replies_.full() || replies_.send();
}

// Waits for more of what the client sends.
bool CachedSession::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0 && input_.size() - end_ < least_space) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const size_t count = connection_.receive(input_.bytes().subspan(end_));
  end_ += count;
  return count > 0;
}

}  // namespace disklathe::nbd
