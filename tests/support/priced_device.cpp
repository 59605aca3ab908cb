// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/priced_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/arithmetic.h"
#include "core/zero/zero_scan.h"

namespace disklathe::test {
namespace {

// Rounds of the ring in which nothing came before time goes on: whoever wants to ask for something at this moment has.
constexpr int quiet_rounds = 4;

std::unexpected<Error> refusal(std::string_view operation, uint64_t at) {
  return failure(os_failure(EOPNOTSUPP, operation, "simulated", at));
}

struct NextRound {
  Ring& ring;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const { ring.post(handle); }
  static void await_resume() noexcept {}
};

}  // namespace

// The coroutine that lets time pass while there are requests.
struct PricedDevice::Server {
  struct promise_type {
    static Server get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

PricedDevice::Server PricedDevice::serve(Ring& ring) {
  serving_ = true;
  while (!queue_.empty()) {
    for (int i = 0; i < quiet_rounds; ++i) co_await NextRound{ring};
    const Request request = queue_.front();
    queue_.pop_front();
    now_ = request.ends;
    request.ring->post(request.waiter);
    co_await NextRound{ring};
  }
  serving_ = false;
}

// Awaitable: the request's turn comes after all that came before it, and takes so many seconds.
struct PricedDevice::Served {
  PricedDevice& device;
  Ring& ring;
  double seconds;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    const Time cost(static_cast<int64_t>(seconds * 1e9));
    device.busy_until_ = std::max(device.busy_until_, device.now_) + cost;
    device.queue_.push_back({device.busy_until_, &ring, waiter});
    if (!device.serving_) device.serve(ring);
  }
  static void await_resume() noexcept {}
};

PricedDevice::PricedDevice(uint64_t size, uint32_t block, Costs costs)
    : size_(size), block_(block), costs_(std::move(costs)), blocks_(size / block) {}

void PricedDevice::touch(Range range, Block to) {
  for (uint64_t i = range.at / block_; i < range.end() / block_; ++i) {
    touched_twice_ += blocks_[i] != Block::untouched;
    blocks_[i] = to;
  }
}

Task<Result<void>> PricedDevice::readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  if (costs_.read_per_byte == 0) co_return refusal("read", at);
  uint64_t end = at;
  for (const iovec& vector : vectors) {
    std::memset(vector.iov_base, 0, vector.iov_len);
    if (end < zero_from_) std::memset(vector.iov_base, 0xaa, std::min(vector.iov_len, zero_from_ - end));
    end += vector.iov_len;
  }
  co_await Served{*this, ring, static_cast<double>(end - at) * costs_.read_per_byte};
  co_return Result<void>{};
}

Task<Result<void>> PricedDevice::writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  uint64_t end = at;
  for (const iovec& vector : vectors) {
    for (size_t done = 0; done < vector.iov_len; done += block_, end += block_) {
      const Bytes block(static_cast<const std::byte*>(vector.iov_base) + done, block_);
      touch({end, block_}, all_zero(block) ? Block::wrote_zeroes : Block::data);
    }
  }
  ++writes_;
  co_await Served{*this, ring, costs_.write_fixed + static_cast<double>(end - at) * costs_.write_per_byte};
  co_return Result<void>{};
}

Task<Result<void>> PricedDevice::zero(Ring& ring, Range range, ZeroMethod method) {
  const auto length = static_cast<double>(range.length);
  if (method == ZeroMethod::buffers) {
    touch(range, Block::wrote_zeroes);
    ++writes_;
    co_await Served{*this, ring, costs_.write_fixed + length * costs_.write_per_byte};
    co_return Result<void>{};
  }
  if (costs_.refused.contains(method)) {
    ++refusals_;
    co_return refusal("zero", range.at);
  }
  touch(range, Block::zeroed);
  ++commands_;
  const double cost = costs_.zero_fixed + length * costs_.zero_per_byte;
  command_seconds_ += cost;
  most_commands_ = std::max(most_commands_, ++commands_in_flight_);
  if (commands_in_flight_ > 1) most_command_seconds_ = std::max(most_command_seconds_, command_seconds_);
  co_await Served{*this, ring, cost};
  --commands_in_flight_;
  command_seconds_ -= cost;
  co_return Result<void>{};
}

Task<Result<void>> PricedDevice::flush(Ring&) { co_return Result<void>{}; }
Result<void> PricedDevice::read_now(uint64_t at, MutableBytes) { return refusal("read", at); }
Result<void> PricedDevice::write_now(uint64_t at, Bytes) { return refusal("write", at); }
Result<void> PricedDevice::resize(uint64_t) { return refusal("resize", 0); }

Task<Result<void>> PatternDevice::readv(Ring&, uint64_t at, std::span<const iovec> vectors) {
  for (const iovec& vector : vectors) {
    auto read = read_now(at, {static_cast<std::byte*>(vector.iov_base), vector.iov_len});
    if (!read) co_return failure(read);
    at += vector.iov_len;
  }
  co_return Result<void>{};
}

Result<void> PatternDevice::read_now(uint64_t at, MutableBytes into) {
  for (size_t done = 0; done < into.size(); done += block_) {
    const bool data = is_data(at + done);
    // What is behind the word is whatever was there: it takes no time to leave it.
    if (zeroes_stored_ && !data) std::memset(into.data() + done, 0, block_);
    if (data) std::memset(into.data() + done, 0x5a, 8);
  }
  return {};
}

Result<Allocation> PatternDevice::allocation(uint64_t at) {
  if (zeroes_stored_) return Allocation{.range = Range::between(at, size_)};
  const uint64_t period = round_down(at, data_ + hole_);
  const bool data = is_data(at);
  const uint64_t end = period + (data ? data_ : data_ + hole_);
  return Allocation{.range = Range::between(at, std::min(end, size_)), .data = data};
}

Task<Result<void>> PatternDevice::writev(Ring&, uint64_t at, std::span<const iovec>) { co_return refusal("write", at); }
Task<Result<void>> PatternDevice::zero(Ring&, Range range, ZeroMethod) { co_return refusal("zero", range.at); }
Task<Result<void>> PatternDevice::flush(Ring&) { co_return Result<void>{}; }
Result<void> PatternDevice::write_now(uint64_t at, Bytes) { return refusal("write", at); }
Result<void> PatternDevice::resize(uint64_t) { return refusal("resize", 0); }

}  // namespace disklathe::test
