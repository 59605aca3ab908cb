// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"

namespace disklathe {
namespace {

class SteadyClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace disklathe
