// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/engine/progress.h"

namespace disklathe::cli {

// A look at a running job.
struct ProgressSample {
  double seconds = 0;  // since the job began
  Phase phase = Phase::prepare;
  uint64_t position = 0, total = 0;  // of this phase, bytes of the guest's disk
  uint64_t moved = 0;                // bytes written, or in the verify phase compared
  // So far; see Progress.
  uint64_t submitted = 0, completed = 0, zeroed = 0, flushed = 0, verified = 0;
  bool total_known = true;  // false: `total` is 0, and what of the stream's stored bytes was taken tells more
  uint64_t input = 0, input_total = 0;
  bool waits_for_input = false;  // and the target has nothing to do meanwhile
};
ProgressSample look_at(const Progress& progress, double seconds);

// What can be told from the looks so far.
struct ProgressReading {
  ProgressSample sample;
  double percent = 0;                  // of this phase, rounded down; 100 only when all of it is done
  bool of_input = false;               // that is of the compressed input: nobody knows yet how large the disk is
  double rate_now = 0;                 // bytes moved a second over the last seconds
  double rate_average = 0;             // and over the whole phase
  std::optional<double> seconds_left;  // of this phase; nothing while it would be a guess
  std::optional<double> stalled;       // seconds without anything completed; nothing while that is no wonder
};

// Whether there is anything that the percentage could be of.
inline bool has_percent(const ProgressReading& reading) {
  return reading.sample.total_known || reading.sample.input_total > 0;
}

class ProgressMeter {
 public:
  // Samples in order of time.
  ProgressReading read(const ProgressSample& sample);

 private:
  std::deque<ProgressSample> recent_;  // of this phase, the last seconds
  ProgressSample phase_start_;
  ProgressSample last_change_;
};

// "writing  45.2%, 312 MiB/s (average 298 MiB/s), 0:34 left, 1.2 GiB zero". At most `width` characters.
std::string text_of(const ProgressReading& reading, std::string_view verify_word, size_t width);

nlohmann::ordered_json json_of(const ProgressReading& reading);

// What is said at the end: "10 GiB in 0:12: 2.1 GiB written at 180 MiB/s, 7.9 GiB zero, verified".
std::string summary_of(const ProgressSample& end, bool verified);

}  // namespace disklathe::cli
