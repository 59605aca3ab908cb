// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace disklathe {

// Where a job's times come from: this machine's steady clock, or that of a simulated device. Any thread.
class Clock {
 public:
  using Time = std::chrono::nanoseconds;  // since any fixed moment

  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

const Clock& steady_clock();

}  // namespace disklathe
