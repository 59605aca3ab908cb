// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/zero_strategy.h"

#include <algorithm>

#include "core/zero/zero_scan.h"

namespace disklathe {
namespace {

constexpr uint64_t write_size = 1 << 20;
constexpr unsigned zero_writes = 8, rotating_zero_writes = 4;  // in flight

// What a target may take, best first: a device that can unmap and still promises zeroes says so (Linux 6.17); a hole is
// the cheapest elsewhere.
std::vector<ZeroMethod> commands_of(const BlockDevice& target, std::optional<ZeroMethod> only) {
  if (only == ZeroMethod::buffers) return {};
  if (only) return {*only};
  if (target.limits().max_write_zeroes_unmap.value) return {ZeroMethod::write_zeroes, ZeroMethod::punch};
  return {ZeroMethod::punch, ZeroMethod::write_zeroes};
}

bool is_refusal(const Error& error) { return error.kind == ErrorKind::unsupported || error.kind == ErrorKind::invalid; }

ZeroCostModel::Rule rule_of(const BlockDevice& target, std::optional<ZeroMethod> only) {
  if (only == ZeroMethod::buffers) return ZeroCostModel::Rule::no_commands;
  if (only) return ZeroCostModel::Rule::commands_only;
  return target.has_holes() ? ZeroCostModel::Rule::sparse : ZeroCostModel::Rule::by_price;
}

uint64_t one_command_of(const Limits& limits) {
  return limits.max_write_zeroes_unmap.value.value_or(limits.max_write_zeroes.value.value_or(0));
}

unsigned zero_writes_of(const BlockDevice& target) {
  return target.limits().rotational.value_or(false) ? rotating_zero_writes : zero_writes;
}

}  // namespace

ZeroStrategy::ZeroStrategy(BlockDevice& target, const Clock& clock, const Stop& stop, std::optional<ZeroMethod> only)
    : target_(target),
      clock_(clock),
      stop_(stop),
      commands_(commands_of(target, only)),
      may_write_(!only || only == ZeroMethod::buffers),
      may_look_(!only),
      model_(rule_of(target, only), one_command_of(target.limits())),
      gate_(zero_writes_of(target)),
      buffers_(write_size, target.limits().opt_mem_align, uint64_t{zero_writes_of(target)} * write_size) {}

ZeroStrategy::Done ZeroStrategy::done() const {
  Done done{.commanded = commanded_, .written = written_, .found = found_};
  if (const size_t method = command_; done.commanded > 0 && method < commands_.size()) done.command = commands_[method];
  return done;
}

Task<Result<void>> ZeroStrategy::write(Ring& ring, uint64_t at, std::span<const iovec> vectors) {
  const auto pass = co_await gate_.enter(ring, TargetGate::Use::data);
  const Clock::Time begun = clock_.now();
  auto written = co_await target_.writev(ring, at, vectors);
  if (!written) co_return failure(written);
  model_.wrote(length_of(vectors), begun, clock_.now());
  co_return Result<void>{};
}

// The part of the range's start that is a hole of the target, which reads as zero as it is, or is none.
Result<Allocation> ZeroStrategy::first_run(Range range) {
  if (!target_.has_holes()) return Allocation{.range = range};
  const std::scoped_lock lock(known_mutex_);
  if (!known_.range.contains(range.at)) {
    auto there = target_.allocation(range.at);
    if (!there) return failure(there);
    known_ = *there;
  }
  return Allocation{.range = intersection(range, known_.range), .data = known_.data};
}

Task<Result<void>> ZeroStrategy::zero(Ring& ring, Range range, std::atomic<uint64_t>& zeroed) {
  while (!range.empty()) {
    stop_.wait_while_paused();
    if (stop_.requested()) co_return failure(ErrorKind::stopped, "zero", "stopped on request");
    auto run = first_run(range);
    if (!run) co_return failure(run);
    uint64_t length = 0;
    if (run->data) {
      auto done = co_await zero_step(ring, run->range, model_.next(run->range.length, clock_.now()), length);
      if (!done) co_return failure(done);
    } else {
      length = run->range.length;
      found_ += length;
    }
    zeroed += length;
    range = Range::between(range.at + length, range.end());
  }
  co_return Result<void>{};
}

// length: how much of the range's start was made zero. None, when another way has to be looked for.
Task<Result<void>> ZeroStrategy::zero_step(Ring& ring, Range range, ZeroCostModel::Step step, uint64_t& length) {
  const Range part{range.at, step.length};
  if (!step.command) {
    auto written = co_await write_zeroes(ring, part);
    if (!written) co_return failure(written);
    length = part.length;
    co_return Result<void>{};
  }
  const auto use = step.alone ? TargetGate::Use::alone : TargetGate::Use::command;
  const auto pass = co_await gate_.enter(ring, use, model_.expected(part.length));
  // While it waited others may have learned better.
  if (model_.next(range.length, clock_.now()) != step) co_return Result<void>{};
  auto commanded = co_await command(ring, part, step);
  if (!commanded) co_return failure(commanded);
  if (!*commanded) co_return Result<void>{};
  length = part.length;
  commanded_ += length;
  co_return Result<void>{};
}

// False when the target takes no command.
Task<Result<bool>> ZeroStrategy::command(Ring& ring, Range range, const ZeroCostModel::Step& step) {
  for (size_t method = command_; method < commands_.size(); ++method) {
    const Clock::Time begun = clock_.now();
    auto done = co_await target_.zero(ring, range, commands_[method]);
    if (done) {
      model_.commanded(step, begun, clock_.now());
      co_return true;
    }
    const bool last = method + 1 == commands_.size();
    if (!is_refusal(done.error()) || (last && !may_write_)) co_return failure(done);
    size_t seen = method;
    command_.compare_exchange_strong(seen, method + 1);
  }
  model_.refused();
  co_return false;
}

Task<Result<void>> ZeroStrategy::write_zeroes(Ring& ring, Range range) {
  std::vector<Task<Result<void>>> parts;
  while (!range.empty()) {
    const Range part{range.at, std::min(range.length, write_size - range.at % write_size)};
    parts.push_back(write_part(ring, part));
    range = Range::between(part.end(), range.end());
  }
  co_return co_await when_all(std::move(parts));
}

// Whether the target says that it is zero there; what cannot be read is not.
Task<bool> ZeroStrategy::is_zero(Ring& ring, Range range) {
  auto lease = co_await buffers_.lease(ring, write_size);
  const MutableBytes bytes = lease.buffer().first(range.length);
  const iovec vector{bytes.data(), bytes.size()};
  const Clock::Time begun = clock_.now();
  const auto read = co_await target_.readv(ring, range.at, {&vector, 1});
  const bool zero = read && all_zero(bytes);
  if (read) model_.looked(range.length, zero, begun, clock_.now());
  co_return zero;
}

Task<Result<void>> ZeroStrategy::write_part(Ring& ring, Range range) {
  const auto pass = co_await gate_.enter(ring, TargetGate::Use::zeroes);
  if (may_look_ && model_.worth_a_look(clock_.now()) && co_await is_zero(ring, range)) {
    found_ += range.length;
    co_return Result<void>{};
  }
  const Clock::Time begun = clock_.now();
  auto done = co_await target_.zero(ring, range, ZeroMethod::buffers);
  if (!done) co_return failure(done);
  model_.wrote(range.length, begun, clock_.now());
  written_ += range.length;
  co_return Result<void>{};
}

}  // namespace disklathe
