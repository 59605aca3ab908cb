// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/carry_out.h"

#include <algorithm>

namespace disklathe::nbd {
namespace {

constexpr uint64_t step = 256 << 20;  // bytes

Task<Code> write_zeroes(Access& access, Ring& ring, const Connection& connection, Request request) {
  Range rest{request.offset, request.length};
  bool fast = request.has(fast_zero);
  while (!rest.empty()) {
    const Range part{rest.at, std::min(rest.length, step)};
    const auto done = co_await access.zero(ring, part, request.has(no_hole), fast);
    if (!done && done.error().kind == ErrorKind::unsupported && fast) co_return Code::not_supported;
    if (!done) co_return code_of(done.error());
    fast = false;  // the first step has shown that it is
    rest = Range::between(part.end(), rest.end());
    if (!rest.empty() && connection.is_cut()) co_return Code::shutdown;
  }
  co_return Code::ok;
}

Task<Code> trim(Access& access, Ring& ring, const Connection& connection, Request request) {
  Range rest{request.offset, request.length};
  while (!rest.empty() && !connection.is_cut()) {
    const Range part{rest.at, std::min(rest.length, step)};
    if (const auto done = co_await access.trim(ring, part); !done) co_return code_of(done.error());
    rest = Range::between(part.end(), rest.end());
  }
  co_return Code::ok;
}

}  // namespace

Task<Code> carry_out(Access& access, Ring& ring, const Connection& connection, Request request) {
  Code code = Code::ok;
  const bool flushes = request.is(Command::flush);
  if (request.is(Command::write_zeroes)) code = co_await write_zeroes(access, ring, connection, request);
  if (request.is(Command::trim)) code = co_await trim(access, ring, connection, request);
  if (request.is(Command::cache)) access.expect({request.offset, request.length});
  const bool durable = request.has(fua) && (request.is(Command::write_zeroes) || request.is(Command::trim));
  if (code != Code::ok || !(flushes || durable)) co_return code;
  const auto flushed = co_await access.flush(ring);
  co_return flushed ? Code::ok : code_of(flushed.error());
}

}  // namespace disklathe::nbd
