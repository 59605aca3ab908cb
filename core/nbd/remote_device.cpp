// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/remote_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/arithmetic.h"
#include "core/io/aligned_buffer.h"
#include "core/nbd/protocol.h"

namespace disklathe::nbd {
namespace {

constexpr size_t most_connections = 4;
// That a server has to let a connection in: without the first nothing goes, the others only help.
constexpr std::chrono::seconds patience_with_first{30}, patience_with_more{2};
constexpr uint64_t longest_zero = 1 << 30;     // so that a stop is heard between them
constexpr uint64_t longest_look = 0xfff00000;  // where lengths have 32 bits
constexpr size_t most_runs = 1 << 16;          // that are kept of what a server says of its map
constexpr uint64_t written_at_once = 1 << 20;

MutableBytes zeroes() {
  static AlignedBuffer buffer(written_at_once, 4096);
  return buffer.bytes();
}

bool is_end_of_connection(int os_error) {
  return os_error == ENOTCONN || os_error == ESHUTDOWN || os_error == EPIPE || os_error == ECONNRESET ||
         os_error == EPROTO || os_error == ECONNABORTED;
}

// What block status says while it is put together.
struct Runs {
  std::vector<Allocation> runs;
  uint64_t at, end;
};

bool take_run(void* told, uint64_t length, uint64_t flags) {
  auto& found = *static_cast<Runs*>(told);
  if (length == 0) return false;
  // It may tell more than was asked about.
  const uint64_t part = std::min(length, found.end - found.at);
  if (part == 0 || found.runs.size() == most_runs) return true;
  const bool data = (flags & status_zero) == 0;
  if (!found.runs.empty() && found.runs.back().data == data)
    found.runs.back().range.length += part;
  else
    found.runs.push_back({.range = {found.at, part}, .data = data});
  found.at += part;
  return true;
}

}  // namespace

bool is_uri(std::string_view text) {
  return text.starts_with("nbd://") || text.starts_with("nbds://") || text.starts_with("nbd+unix://") ||
         text.starts_with("nbds+unix://");
}

Result<std::unique_ptr<RemoteDevice>> RemoteDevice::open(const std::string& uri, bool writable) {
  std::vector<std::unique_ptr<RemoteConnection>> connections;
  do {
    auto connection = RemoteConnection::open(uri, connections.empty() ? patience_with_first : patience_with_more);
    if (!connection && !connections.empty()) break;  // it takes no more than these
    if (!connection) {
      connection.error().subject = uri;
      return failure(connection);
    }
    // Another export of that name by now? It is none of ours.
    if (!connections.empty() && (*connection)->facts().size != connections[0]->facts().size) break;
    connections.push_back(std::move(*connection));
  } while (connections[0]->facts().can_multi_conn && connections.size() < most_connections);
  if (writable && connections[0]->facts().read_only)
    return failure(Error{.kind = ErrorKind::permission,
                         .operation = "write to",
                         .subject = uri,
                         .cause = "the server serves it for reading only"});
  return std::unique_ptr<RemoteDevice>(new RemoteDevice(uri, writable, std::move(connections)));
}

RemoteDevice::RemoteDevice(std::string uri, bool writable, std::vector<std::unique_ptr<RemoteConnection>> connections)
    : name_(std::move(uri)), writable_(writable), connections_(std::move(connections)) {
  limits_.offset_align = static_cast<uint32_t>(facts().minimum_block);
  limits_.logical_block = {.value = facts().minimum_block, .source = LimitSource::probe};
  limits_.rotational = facts().rotational;
}

Result<void> RemoteDevice::gate(std::string_view operation, Range range, bool writes) const {
  const bool inside = range.at <= size() && range.length <= size() - range.at;
  if (inside && (!writes || writable_)) return {};
  return failure(Error{.kind = ErrorKind::invalid,
                       .operation = std::string(operation),
                       .subject = name_,
                       .offset = range.at,
                       .cause = inside ? "opened for reading only" : "outside the export"});
}

bool RemoteDevice::is_aligned(uint64_t at, std::span<const iovec> vectors) const {
  const uint64_t block = facts().minimum_block;
  return is_multiple(at, block) &&
         std::ranges::all_of(vectors, [=](const iovec& vector) { return is_multiple(vector.iov_len, block); });
}

void RemoteDevice::submit(OutsideCall& call, Move move, uint64_t at, std::span<const iovec> vectors) {
  for (const iovec& vector : vectors) {
    MutableBytes rest(static_cast<std::byte*>(vector.iov_base), vector.iov_len);
    while (!rest.empty()) {
      const MutableBytes part = rest.first(std::min<uint64_t>(rest.size(), facts().max_payload));
      if (move == Move::read)
        next().read(call, at, part);
      else
        next().write(call, at, part);
      at += part.size();
      rest = rest.subspan(part.size());
    }
  }
}

Result<void> RemoteDevice::result_of(const OutsideCall& call, std::string_view operation,
                                     std::optional<uint64_t> at) const {
  const int error = call.error();
  if (error == 0) return {};
  Error failed = os_failure(error, operation, name_, at);
  if (is_end_of_connection(error)) {
    failed.kind = ErrorKind::vanished;
    failed.os_error = 0;
    failed.cause = error == EPROTO ? "the server broke the protocol" : "the connection to the server ended";
  }
  return failure(std::move(failed));
}

Task<Result<void>> RemoteDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  if (auto inside = gate("read", {at, length_of(vectors)}, false); !inside) co_return failure(inside);
  if (!is_aligned(at, vectors)) {
    for (const iovec& vector : vectors) {
      auto read = read_around(at, {static_cast<std::byte*>(vector.iov_base), vector.iov_len});
      if (!read) co_return failure(read);
      at += vector.iov_len;
    }
    co_return Result<void>{};
  }
  OutsideCall call;  // in this frame, which outlasts all that was given to the connections
  submit(call, Move::read, at, vectors);
  co_await call.waited(ring);
  co_return result_of(call, "read", at);
}

Task<Result<void>> RemoteDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  if (auto inside = gate("write", {at, length_of(vectors)}, true); !inside) co_return failure(inside);
  if (!is_aligned(at, vectors)) {
    for (const iovec& vector : vectors) {
      auto written = write_around(at, {static_cast<const std::byte*>(vector.iov_base), vector.iov_len});
      if (!written) co_return failure(written);
      at += vector.iov_len;
    }
    co_return Result<void>{};
  }
  OutsideCall call;
  submit(call, Move::write, at, vectors);
  co_await call.waited(ring);
  co_return result_of(call, "write", at);
}

Task<Result<void>> RemoteDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  if (auto inside = gate("zero", range, true); !inside) co_return failure(inside);
  const bool by_writing = method == ZeroMethod::buffers;
  if (!by_writing && (!facts().can_zero || !is_multiple(range.at, facts().minimum_block) ||
                      !is_multiple(range.length, facts().minimum_block)))
    co_return failure(os_failure(EOPNOTSUPP, "zero", name_, range.at));
  while (!range.empty()) {
    const uint64_t length = std::min(range.length, by_writing ? written_at_once : longest_zero);
    if (by_writing) {
      const iovec vector{zeroes().data(), length};
      if (auto written = co_await writev(ring, range.at, {&vector, 1}); !written) co_return failure(written);
    } else {
      OutsideCall call;
      next().zero(call, range.at, length, method == ZeroMethod::write_zeroes);
      co_await call.waited(ring);
      if (auto done = result_of(call, "zero", range.at); !done) co_return failure(done);
    }
    range = Range::between(range.at + length, range.end());
  }
  co_return Result<void>{};
}

Task<Result<void>> RemoteDevice::flush(Ring& ring) {
  if (!facts().can_flush) co_return Result<void>{};
  OutsideCall call;
  connections_[0]->flush(call);
  co_await call.waited(ring);
  co_return result_of(call, "flush", std::nullopt);
}

Result<void> RemoteDevice::flush_now() {
  if (!facts().can_flush) return {};
  OutsideCall call;
  connections_[0]->flush(call);
  call.wait();
  return result_of(call, "flush", std::nullopt);
}

Result<void> RemoteDevice::discard_now(Range range) {
  if (auto inside = gate("discard", range, true); !inside) return inside;
  const uint64_t block = facts().minimum_block;
  if (!facts().can_trim || !is_multiple(range.at, block) || !is_multiple(range.length, block))
    return failure(os_failure(EOPNOTSUPP, "discard", name_, range.at));
  while (!range.empty()) {
    const uint64_t length = std::min(range.length, longest_zero);
    OutsideCall call;
    next().trim(call, range.at, length);
    call.wait();
    if (auto done = result_of(call, "discard", range.at); !done) return done;
    range = Range::between(range.at + length, range.end());
  }
  return {};
}

Result<void> RemoteDevice::transfer_now(Move move, uint64_t at, MutableBytes bytes) {
  OutsideCall call;
  const iovec vector{bytes.data(), bytes.size()};
  submit(call, move, at, {&vector, 1});
  call.wait();
  return result_of(call, move == Move::read ? "read" : "write", at);
}

// By whole blocks.
Result<void> RemoteDevice::read_around(uint64_t at, MutableBytes into) {
  const uint64_t from = round_down(at, facts().minimum_block);
  std::vector<std::byte> blocks(round_up(at + into.size(), facts().minimum_block) - from);
  if (auto read = transfer_now(Move::read, from, blocks); !read) return read;
  std::memcpy(into.data(), blocks.data() + (at - from), into.size());
  return {};
}

Result<void> RemoteDevice::write_around(uint64_t at, Bytes from) {
  const std::scoped_lock lock(edges_);
  const uint64_t start = round_down(at, facts().minimum_block);
  std::vector<std::byte> blocks(round_up(at + from.size(), facts().minimum_block) - start);
  if (auto read = transfer_now(Move::read, start, blocks); !read) return read;
  std::memcpy(blocks.data() + (at - start), from.data(), from.size());
  return transfer_now(Move::write, start, blocks);
}

Result<void> RemoteDevice::read_now(uint64_t at, MutableBytes into) {
  if (auto inside = gate("read", {at, into.size()}, false); !inside) return inside;
  const iovec vector{into.data(), into.size()};
  return is_aligned(at, {&vector, 1}) ? transfer_now(Move::read, at, into) : read_around(at, into);
}

Result<void> RemoteDevice::write_now(uint64_t at, Bytes from) {
  if (auto inside = gate("write", {at, from.size()}, true); !inside) return inside;
  const iovec vector{const_cast<std::byte*>(from.data()), from.size()};
  if (!is_aligned(at, {&vector, 1})) return write_around(at, from);
  return transfer_now(Move::write, at, {const_cast<std::byte*>(from.data()), from.size()});
}

Result<void> RemoteDevice::look_up(uint64_t at) {
  const uint64_t block = facts().minimum_block;
  const uint64_t from = round_down(at, block);
  const uint64_t most = facts().long_lengths ? size() : round_down(longest_look, block);
  Runs found{.runs = {}, .at = from, .end = from + std::min(size() - from, most)};
  OutsideCall call;
  connections_[0]->block_status(call, from, found.end - from, take_run, &found);
  call.wait();
  if (auto told = result_of(call, "map", at); !told) return told;
  if (found.runs.empty() || found.runs.back().range.end() <= at)
    return failure(Error{.kind = ErrorKind::corrupt,
                         .operation = "map",
                         .subject = name_,
                         .offset = at,
                         .cause = "the server told of no extent there"});
  map_ = std::move(found.runs);
  return {};
}

Result<Allocation> RemoteDevice::allocation(uint64_t at) {
  if (at >= size()) return failure(gate("map", {at, 1}, false).error());
  if (!facts().has_allocation) return Allocation{.range = Range::between(at, size()), .data = true};
  const std::scoped_lock lock(map_mutex_);
  // What is written to changes; what is read is trusted to stay.
  if (writable_ || map_.empty() || at < map_.front().range.at || at >= map_.back().range.end()) {
    if (auto looked = look_up(at); !looked) return failure(looked);
  }
  const auto run = std::ranges::partition_point(map_, [=](const Allocation& one) { return one.range.end() <= at; });
  return Allocation{.range = Range::between(at, run->range.end()), .data = run->data};
}

Result<void> RemoteDevice::resize(uint64_t) { return failure(os_failure(EOPNOTSUPP, "resize", name_)); }

}  // namespace disklathe::nbd
