// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <deque>
#include <optional>

#include "core/job/message.h"

namespace disklathe::ui {

// How far a job is, in numbers to be shown. Bytes of the guest's disk. Written, flushed and verified are never added.
struct JobProgress {
  Phase phase = Phase::prepare;
  bool paused = false;
  uint64_t total = 0, position = 0;  // of this phase
  bool total_known = true;
  uint64_t written = 0, zeroed = 0, flushed = 0, verified = 0;
  uint64_t input = 0, input_total = 0;  // of a stream: stored bytes taken, and of all of it
  uint64_t request_size = 0;
  double rate_now = 0, rate_average = 0;  // bytes per second, of this phase
  struct Left {
    double least = 0, most = 0;  // seconds
  };
  std::optional<Left> left;
  std::optional<double> stalled;  // seconds without a byte, where that is long
  double seconds = 0;             // since the job began, without pauses

  // 0 to 1 of the phase; nothing: not known. of_input: of a stream's stored bytes.
  std::optional<double> share() const;
  bool of_input() const { return !total_known && input_total > 0; }
};

// MB/s over the position on the target: what the plot shows. A bounded number of equal parts of the whole.
struct RateSeries {
  static constexpr double not_there_yet = -1;
  QVector<double> rates;  // bytes per second; 0: gone through without moving a byte
};

// Makes numbers to be shown of the readings that a worker sends.
class ProgressMeter {
 public:
  // zeroing: bytes that were zeroed by a command are its work, and not what was left out.
  explicit ProgressMeter(bool zeroing = false) : zeroing_(zeroing) {}

  // Of a job that is met on its way: when its phases began, by its worker.
  void resume(const std::vector<job::Attached::PhaseBegan>& phases);
  // seconds: since the job began, without pauses.
  JobProgress take(const job::Reading& reading, double seconds);
  // The job has ended.
  void end(double seconds) { ended_ = seconds; }
  const RateSeries& writing() const { return writing_; }
  const RateSeries& verifying() const { return verifying_; }
  // When each phase began, seconds since the job did; nothing: it did not.
  std::optional<double> began(Phase phase) const { return began_[static_cast<size_t>(phase)]; }
  // How long a phase lasted that is over: the times of all phases add up to the job's. One that was over between two
  // readings lasted 0. Learning the size is a part of preparing. Nothing: it is not over, or was before this began.
  std::optional<double> took(Phase phase) const;

 private:
  struct Sample {
    double seconds = 0;
    uint64_t position = 0, moved = 0;
  };
  void begin(Phase phase, double seconds);
  Sample sample_of(const job::Reading& reading, Phase phase, double seconds) const;
  void record_rate(const job::Reading& reading, Phase phase, double seconds);

  std::deque<Sample> recent_;
  Sample phase_start_, last_change_;
  std::optional<Phase> phase_;
  std::optional<double> began_[6], ended_;
  std::optional<job::Reading> last_;
  double last_seconds_ = 0;
  bool zeroing_;
  RateSeries writing_, verifying_;
};

}  // namespace disklathe::ui
