// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/http_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/arithmetic.h"

namespace disklathe::http {
namespace {

constexpr uint64_t longest_piece = 4 << 20;
constexpr uint64_t block = 64 << 10;  // metadata is read by these

uint64_t length_of(std::span<const iovec> vectors) {
  uint64_t length = 0;
  for (const iovec& vector : vectors) length += vector.iov_len;
  return length;
}

// The first `bytes` of the vectors, which lose them.
std::vector<iovec> cut_front(std::vector<iovec>& vectors, uint64_t bytes) {
  std::vector<iovec> front;
  size_t whole = 0;
  while (bytes > 0) {
    iovec& vector = vectors[whole];
    const size_t part = std::min<uint64_t>(vector.iov_len, bytes);
    front.push_back({vector.iov_base, part});
    vector.iov_base = static_cast<std::byte*>(vector.iov_base) + part;
    vector.iov_len -= part;
    bytes -= part;
    if (vector.iov_len == 0) ++whole;
  }
  vectors.erase(vectors.begin(), vectors.begin() + static_cast<std::ptrdiff_t>(whole));
  return front;
}

}  // namespace

Result<std::unique_ptr<HttpDevice>> HttpDevice::open(const std::string& url) {
  auto resource = look_at(url);
  if (!resource) return failure(resource);
  return over(std::move(*resource));
}

Result<std::unique_ptr<HttpDevice>> HttpDevice::over(Resource resource) {
  if (!resource.ranges)
    return failure(Error{.kind = ErrorKind::unsupported,
                         .operation = "open",
                         .subject = resource.name,
                         .cause = "its server gives it only from front to back, which is enough for convert from a raw "
                                  "disk, compressed or not; else download it first"});
  std::unique_ptr<HttpDevice> device(new HttpDevice(std::move(resource)));
  auto transfers = Transfers::start(device->resource_);
  if (!transfers) return failure(transfers);
  device->transfers_ = std::move(*transfers);
  return device;
}

Result<void> HttpDevice::gate(Range range) const {
  if (range.at <= size() && range.length <= size() - range.at) return {};
  return failure(Error{.kind = ErrorKind::invalid,
                       .operation = "read",
                       .subject = resource_.name,
                       .offset = range.at,
                       .cause = "outside the file"});
}

std::unexpected<Error> HttpDevice::read_only(std::string_view operation) const {
  return failure(os_failure(EROFS, operation, resource_.name));
}

void HttpDevice::begin(OutsideCall& call, uint64_t at, std::span<const iovec> vectors,
                       std::vector<std::unique_ptr<Piece>>& pieces) {
  std::vector<iovec> rest(vectors.begin(), vectors.end());
  for (uint64_t left = length_of(vectors); left > 0;) {
    const uint64_t length = std::min(left, longest_piece);
    pieces.push_back(std::make_unique<Piece>(Range{at, length}, cut_front(rest, length), call));
    call.add();
    transfers_->fetch(*pieces.back());
    at += length;
    left -= length;
  }
}

Result<void> HttpDevice::result_of(const std::vector<std::unique_ptr<Piece>>& pieces) {
  for (const auto& piece : pieces)
    if (piece->error()) return failure(*piece->error());
  return {};
}

Task<Result<void>> HttpDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  if (auto inside = gate({at, length_of(vectors)}); !inside) co_return failure(inside);
  OutsideCall call;
  std::vector<std::unique_ptr<Piece>> pieces;
  begin(call, at, vectors, pieces);
  co_await call.waited(ring);
  co_return result_of(pieces);
}

Result<void> HttpDevice::read_now(uint64_t at, MutableBytes into) {
  if (auto inside = gate({at, into.size()}); !inside) return inside;
  const std::scoped_lock lock(recent_mutex_);
  while (!into.empty()) {
    if (at < recent_at_ || at >= recent_at_ + recent_.size()) {
      const uint64_t from = round_down(at, block);
      const uint64_t end = std::min(size(), round_up(at + into.size(), block));
      std::vector<std::byte> bytes(std::min(end - from, longest_piece));
      OutsideCall call;
      std::vector<std::unique_ptr<Piece>> pieces;
      const iovec vector{bytes.data(), bytes.size()};
      begin(call, from, {&vector, 1}, pieces);
      call.wait();
      if (auto read = result_of(pieces); !read) return read;
      recent_ = std::move(bytes);
      recent_at_ = from;
    }
    const size_t part = std::min<uint64_t>(into.size(), recent_at_ + recent_.size() - at);
    std::memcpy(into.data(), recent_.data() + (at - recent_at_), part);
    into = into.subspan(part);
    at += part;
  }
  return {};
}

Result<Allocation> HttpDevice::allocation(uint64_t at) {
  if (auto inside = gate({at, 1}); !inside) return failure(inside);
  return Allocation{.range = Range::between(at, size()), .data = true};
}

Task<Result<void>> HttpDevice::writev(Ring&, uint64_t, std::span<const iovec>) { co_return read_only("write"); }
Task<Result<void>> HttpDevice::zero(Ring&, Range, ZeroMethod) { co_return read_only("zero"); }
Task<Result<void>> HttpDevice::flush(Ring&) { co_return Result<void>{}; }
Result<void> HttpDevice::write_now(uint64_t, Bytes) { return read_only("write"); }
Result<void> HttpDevice::flush_now() { return {}; }
Result<void> HttpDevice::resize(uint64_t) { return read_only("resize"); }

}  // namespace disklathe::http
