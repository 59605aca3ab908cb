// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/zero_strategy.h"

#include <algorithm>

namespace disklathe {
namespace {

constexpr std::array ladder{ZeroMethod::punch, ZeroMethod::write_zeroes, ZeroMethod::buffers};
constexpr uint64_t step = 64 << 20;

}  // namespace

Task<Result<void>> ZeroStrategy::zero(Ring& ring, Range range, std::atomic<uint64_t>& zeroed) {
  while (!range.empty()) {
    if (stop_.requested()) co_return failure(ErrorKind::stopped, "zero", "stopped on request");
    const Range part{range.at, std::min(range.length, step)};
    if (auto done = co_await zero_step(ring, part); !done) co_return failure(done);
    zeroed += part.length;
    range = Range::between(part.end(), range.end());
  }
  co_return Result<void>{};
}

Task<Result<void>> ZeroStrategy::zero_step(Ring& ring, Range range) {
  for (;;) {
    const size_t method = first_method_.load();
    auto done = co_await target_.zero(ring, range, ladder[method]);
    const bool refused =
        !done && (done.error().kind == ErrorKind::unsupported || done.error().kind == ErrorKind::invalid);
    if (!refused || method + 1 == ladder.size()) co_return done;
    size_t seen = method;
    first_method_.compare_exchange_strong(seen, method + 1);
  }
}

}  // namespace disklathe
