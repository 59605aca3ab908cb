// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/raw_in_place.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/arithmetic.h"
#include "core/device/file_device.h"

namespace disklathe {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr uint64_t page = 4096;

unsigned bit_of(ZeroMethod method) { return 1U << static_cast<unsigned>(method); }

// Best first. A device that unmaps and still promises zeroes says so (Linux 6.17), and its command gives space back.
std::array<ZeroMethod, 2> commands_of(const BlockDevice& file, bool keep) {
  const bool unmaps = !file.has_holes() && file.limits().max_write_zeroes_unmap.value.has_value();
  if (keep)
    return unmaps ? std::array{ZeroMethod::buffers, ZeroMethod::buffers}
                  : std::array{ZeroMethod::write_zeroes, ZeroMethod::buffers};
  if (unmaps) return {ZeroMethod::write_zeroes, ZeroMethod::punch};
  return {ZeroMethod::punch, ZeroMethod::write_zeroes};
}

bool is_refusal(const Error& error) { return error.kind == ErrorKind::unsupported || error.kind == ErrorKind::invalid; }

}  // namespace

// Of a page that one writes directly, and another a part of through the page cache, the kernel drops what it cannot,
// and then fails all that is flushed. Who writes parts of pages therefore has them alone.
RangeLock::Waiting RawInPlace::lock_pages(Ring& ring, Range range) {
  const bool whole = is_multiple(range.at, page) && is_multiple(range.length, page);
  return pages_.lock(ring, Range::between(round_down(range.at, page), round_up(range.end(), page)),
                     whole ? RangeLock::Mode::shared : RangeLock::Mode::exclusive);
}

Task<Result<void>> RawInPlace::write(Ring& ring, uint64_t at, Bytes from) {
  std::optional<RangeLock::Hold> hold;
  if (file_.io_mode() == IoMode::queued) hold.emplace(co_await lock_pages(ring, {at, from.size()}));
  const Clock::Time begun = clock_.now();
  const iovec vector{const_cast<std::byte*>(from.data()), from.size()};
  auto written = co_await file_.writev(ring, at, {&vector, 1});
  if (!written) co_return failure(written);
  const std::scoped_lock lock(mutex_);
  write_price_.record(from.size(), Seconds(clock_.now() - begun).count());
  co_return Result<void>{};
}

bool RawInPlace::may_try(ZeroMethod method, uint64_t length, bool fast) {
  if (method == ZeroMethod::buffers || (refused_ & bit_of(method)) != 0) return false;
  if (file_.has_holes()) return true;
  const std::scoped_lock lock(mutex_);
  const bool known = command_price_.known() && write_price_.known();
  return known ? command_price_.of(length) < write_price_.of(length) : !fast;
}

Task<Result<void>> RawInPlace::command(Ring& ring, Range range, ZeroMethod method) {
  const Clock::Time begun = clock_.now();
  auto done = co_await file_.zero(ring, range, method);
  if (!done) {
    if (is_refusal(done.error())) refused_ |= bit_of(method);
    co_return failure(done);
  }
  const std::scoped_lock lock(mutex_);
  command_price_.record(range.length, Seconds(clock_.now() - begun).count());
  co_return Result<void>{};
}

Task<Result<void>> RawInPlace::zero(Ring& ring, Range range, bool keep, bool fast) {
  std::optional<RangeLock::Hold> hold;
  if (file_.io_mode() == IoMode::queued) hold.emplace(co_await lock_pages(ring, range));
  // The edges of what a device's command does not cover are written, before it is known whether it has the command.
  const uint64_t block = file_.has_holes() ? 1 : file_.limits().logical_block.value.value_or(4096);
  const bool whole_blocks = is_multiple(range.at, block) && is_multiple(range.length, block);
  for (const ZeroMethod method : commands_of(file_, keep)) {
    if (!may_try(method, range.length, fast) || (fast && !whole_blocks)) continue;
    auto done = co_await command(ring, range, method);
    if (done || !is_refusal(done.error())) co_return done;
  }
  if (fast) co_return failure(ErrorKind::unsupported, "zero", "it is not known to be faster than writing", range.at);
  co_return co_await file_.zero(ring, range, ZeroMethod::buffers);
}

Task<Result<void>> RawInPlace::trim(Ring& ring, Range range) {
  std::optional<RangeLock::Hold> hold;
  if (file_.io_mode() == IoMode::queued) hold.emplace(co_await lock_pages(ring, range));
  Result<void> done;
  if (file_.has_holes()) {
    done = co_await file_.zero(ring, range, ZeroMethod::punch);
  } else if (auto* device = dynamic_cast<FileDevice*>(&file_)) {
    const uint64_t block = std::max<uint64_t>(file_.limits().discard_granularity.value.value_or(0), 4096);
    const Range whole = Range::between(round_up(range.at, block), round_down(range.end(), block));
    if (!whole.empty()) done = device->discard_now(whole);
  }
  if (!done && is_refusal(done.error())) co_return Result<void>{};
  co_return done;
}

}  // namespace disklathe
