// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/progress_meter.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace disklathe::ui {
namespace {

constexpr double window_seconds = 2;  // what "now" means
constexpr double guess_seconds = 2;   // no time left is told before
constexpr double stall_seconds = 5;   // a flash drive that tidies up is silent for one or two
constexpr qsizetype series_length = 240;

}  // namespace

std::optional<double> JobProgress::share() const {
  if (phase == Phase::done) return 1;
  const uint64_t gone = of_input() ? input : position, all = of_input() ? input_total : total;
  if (!all || (!total_known && !of_input())) return std::nullopt;
  return std::clamp(static_cast<double>(gone) / static_cast<double>(all), 0.0, 1.0);
}

void ProgressMeter::resume(const std::vector<job::Attached::PhaseBegan>& phases) {
  for (const auto& [phase, at] : phases) begin(phase, static_cast<double>(at) / 1e9);
}

// A job that has verified flushes once more: that is not when flushing began.
void ProgressMeter::begin(Phase phase, double seconds) {
  const auto index = static_cast<size_t>(phase);
  if (std::ranges::none_of(std::span(began_).subspan(index), [](const auto& one) { return one.has_value(); }))
    began_[index] = seconds;
}

JobProgress ProgressMeter::take(const job::Reading& reading, double seconds) {
  JobProgress progress{.phase = reading.phase,
                       .paused = reading.paused,
                       .total = reading.total,
                       .position = reading.phase >= Phase::verify
                                       ? reading.verified
                                       : reading.completed + reading.zeroed + reading.skipped,
                       .total_known = reading.total_known,
                       .written = reading.completed,
                       .zeroed = reading.zeroed + reading.skipped,
                       .flushed = reading.flushed,
                       .verified = reading.verified,
                       .input = std::min(reading.input, reading.input_total),
                       .input_total = reading.input_total,
                       .request_size = reading.request_size,
                       .seconds = seconds};
  // The counters are read one after the other while the job goes on.
  if (progress.total_known) progress.position = std::min(progress.position, progress.total);
  // What was done until a phase ended is told by the reading that begins the next.
  record_rate(reading, Phase::write, seconds);
  record_rate(reading, Phase::verify, seconds);
  last_ = reading;
  last_seconds_ = seconds;
  const Sample now{seconds, progress.of_input() ? progress.input : progress.position,
                   sample_of(reading, reading.phase, seconds).moved};
  if (phase_ != reading.phase) {
    begin(reading.phase, seconds);
    recent_.clear();
    phase_start_ = last_change_ = now;
    // Met on its way: all that this phase has done it did since then.
    if (const double since = began(reading.phase).value_or(seconds); !phase_ && since < seconds)
      phase_start_ = {.seconds = since};
    phase_ = reading.phase;
  }
  recent_.push_back(now);
  while (recent_.size() > 2 && seconds - recent_.front().seconds > window_seconds) recent_.pop_front();
  if (last_change_.position != now.position || last_change_.moved != now.moved) last_change_ = now;

  const auto rate = [](const Sample& from, const Sample& to) {
    return to.seconds > from.seconds ? static_cast<double>(to.moved - from.moved) / (to.seconds - from.seconds) : 0;
  };
  progress.rate_now = rate(recent_.front(), now);
  progress.rate_average = rate(phase_start_, now);
  const bool moves = reading.phase == Phase::write || reading.phase == Phase::verify || reading.phase == Phase::flush;
  if (moves && !reading.paused && seconds - last_change_.seconds >= stall_seconds)
    progress.stalled = seconds - last_change_.seconds;

  const auto share = progress.share();
  const double passed = seconds - phase_start_.seconds;
  if (share && *share > 0 && *share < 1 && passed >= guess_seconds && now.position > phase_start_.position) {
    const double whole = passed / *share;
    const double even = whole - passed;
    // The pace may fall (a full cache) or the rest be holes: a range, wider while little is known.
    const double doubt = 0.12 + 0.25 * (1 - std::min(1.0, passed / 30));
    progress.left = {even * (1 - doubt), even * (1 + doubt)};
  }
  return progress;
}

std::optional<double> ProgressMeter::took(Phase phase) const {
  const auto index = static_cast<size_t>(phase);
  const auto first = std::ranges::find_if(began_, [](const auto& one) { return one.has_value(); });
  if (first == std::end(began_) || first - began_ > static_cast<std::ptrdiff_t>(index)) return std::nullopt;
  for (size_t later = index + 1; later < std::size(began_); ++later)
    if (later != static_cast<size_t>(Phase::measure) && began_[later])
      return *began_[later] - began_[index].value_or(*began_[later]);
  return ended_ ? std::optional(*ended_ - began_[index].value_or(*ended_)) : std::nullopt;
}

ProgressMeter::Sample ProgressMeter::sample_of(const job::Reading& reading, Phase phase, double seconds) const {
  if (phase == Phase::verify) return {seconds, reading.verified, reading.verified};
  return {seconds, reading.completed + reading.zeroed + reading.skipped,
          reading.completed + (zeroing_ ? reading.zeroed : 0)};
}

// Of what this phase did since the last reading.
void ProgressMeter::record_rate(const job::Reading& reading, Phase phase, double seconds) {
  if (!last_ || !reading.total_known || !reading.total) return;
  const Sample before = sample_of(*last_, phase, last_seconds_), now = sample_of(reading, phase, seconds);
  if (now.seconds <= before.seconds || now.position <= before.position) return;
  RateSeries& series = phase == Phase::write ? writing_ : verifying_;
  if (series.rates.isEmpty()) series.rates.fill(RateSeries::not_there_yet, series_length);
  const auto bin = [&](uint64_t position) {
    return std::min(series_length - 1,
                    static_cast<qsizetype>(static_cast<double>(position) / static_cast<double>(reading.total) *
                                           static_cast<double>(series_length)));
  };
  const double rate = static_cast<double>(now.moved - before.moved) / (now.seconds - before.seconds);
  for (qsizetype i = bin(before.position); i <= bin(now.position); ++i) series.rates[i] = rate;
}

}  // namespace disklathe::ui
