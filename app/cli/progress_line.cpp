// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/size_text.h"

namespace disklathe::cli {
namespace {

constexpr double window_seconds = 2;  // what "now" means
constexpr double guess_seconds = 1;   // no time left is told before
constexpr double stall_seconds = 5;   // a flash drive that tidies up is silent for one or two

std::string_view word_of(Phase phase, std::string_view verify_word) {
  switch (phase) {
    case Phase::prepare: return "opening";
    case Phase::measure: return "measuring";
    case Phase::write: return "writing";
    case Phase::flush: return "flushing";
    case Phase::verify: return verify_word;
    case Phase::done: return "done";
  }
  return "";
}

std::string_view key_of(Phase phase) {
  switch (phase) {
    case Phase::prepare: return "prepare";
    case Phase::measure: return "measure";
    case Phase::write: return "write";
    case Phase::flush: return "flush";
    case Phase::verify: return "verify";
    case Phase::done: return "done";
  }
  return "";
}

double rate(const ProgressSample& from, const ProgressSample& to) {
  const double seconds = to.seconds - from.seconds;
  return seconds > 0 && to.moved > from.moved ? static_cast<double>(to.moved - from.moved) / seconds : 0;
}

// How far the phase is, and of how much.
struct Way {
  uint64_t gone = 0, all = 0;
};
Way way_of(const ProgressSample& sample) {
  return sample.total_known ? Way{sample.position, sample.total} : Way{sample.input, sample.input_total};
}

double whole(double value) { return std::floor(value + 0.5); }

}  // namespace

ProgressSample look_at(const Progress& progress, double seconds) {
  ProgressSample sample{.seconds = seconds, .phase = progress.phase.load()};
  sample.total_known = progress.total_known.load();
  sample.input_total = progress.input_total.load();
  sample.input = std::min(progress.input.load(), sample.input_total);
  sample.total = progress.total.load();
  // The counters are read one after the other while the job runs on: never more than all.
  sample.position = sample.phase == Phase::done ? sample.total : progress.position();
  if (sample.total_known) sample.position = std::min(sample.position, sample.total);
  sample.completed = progress.completed.load();
  sample.submitted = std::max(progress.submitted.load(), sample.completed);
  sample.waits_for_input = progress.waits_for_input.load() && sample.submitted == sample.completed;
  sample.zeroed = progress.zeroed.load() + progress.skipped.load();
  sample.flushed = progress.flushed.load();
  sample.verified = progress.verified.load();
  sample.moved = sample.phase == Phase::verify ? sample.verified : sample.completed;
  return sample;
}

ProgressReading ProgressMeter::read(const ProgressSample& sample) {
  if (recent_.empty() || recent_.back().phase != sample.phase) {
    recent_.clear();
    phase_start_ = last_change_ = sample;
  }
  recent_.push_back(sample);
  while (recent_.size() > 2 && sample.seconds - recent_.front().seconds > window_seconds) recent_.pop_front();

  if (last_change_.position != sample.position || last_change_.moved != sample.moved) last_change_ = sample;

  ProgressReading reading{.sample = sample, .of_input = !sample.total_known && sample.input_total > 0};
  const bool moves = sample.phase == Phase::write || sample.phase == Phase::flush || sample.phase == Phase::verify ||
                     sample.waits_for_input;
  if (const double still = sample.seconds - last_change_.seconds; moves && still >= stall_seconds)
    reading.stalled = still;
  const Way way = way_of(sample), at_start = way_of(phase_start_);
  if (sample.phase == Phase::done)
    reading.percent = 100;
  else if (way.all)
    reading.percent = std::floor(static_cast<double>(way.gone) / static_cast<double>(way.all) * 1000) / 10;
  if (way.gone < way.all || reading.of_input) reading.percent = std::min(reading.percent, 99.9);
  reading.rate_now = rate(recent_.front(), sample);
  // In the end that of the whole job.
  reading.rate_average = rate(sample.phase == Phase::done ? ProgressSample{} : phase_start_, sample);
  const double passed = sample.seconds - phase_start_.seconds;
  const bool same_way = sample.total_known == phase_start_.total_known;
  if (passed >= guess_seconds && same_way && way.gone > at_start.gone && way.all >= way.gone &&
      sample.phase != Phase::flush)
    reading.seconds_left =
        passed * static_cast<double>(way.all - way.gone) / static_cast<double>(way.gone - at_start.gone);
  return reading;
}

std::string text_of(const ProgressReading& reading, std::string_view verify_word, size_t width) {
  const Phase phase = reading.sample.phase;
  std::string text(word_of(phase, verify_word));
  const auto percent = [&] {
    return has_percent(reading)
               ? fmt::format(" {:5.1f}%{}", reading.percent, reading.of_input ? " of compressed input" : "")
               : fmt::format(" {}", human_size(reading.sample.position));
  };
  if (phase == Phase::measure) text += percent();
  if (phase == Phase::prepare && reading.stalled)
    text += fmt::format(", no input for {}", human_duration(*reading.stalled));
  if (phase == Phase::write || phase == Phase::verify) {
    const std::string_view missing = reading.sample.waits_for_input ? "input" : "answer";
    const std::string now = reading.stalled ? fmt::format("no {} for {}", missing, human_duration(*reading.stalled))
                                            : human_rate(reading.rate_now);
    text += percent();
    text += fmt::format(", {} (average {})", now, human_rate(reading.rate_average));
    text += reading.seconds_left ? fmt::format(", {} left", human_duration(*reading.seconds_left)) : "";
    if (phase == Phase::write) text += fmt::format(", {} zero", human_size(reading.sample.zeroed));
  }
  if (phase == Phase::flush && reading.stalled) text += fmt::format(", for {}", human_duration(*reading.stalled));
  return text.substr(0, width);
}

nlohmann::ordered_json json_of(const ProgressReading& reading) {
  const ProgressSample& sample = reading.sample;
  nlohmann::ordered_json json = {{"phase", key_of(sample.phase)},
                                 {"position", sample.position},
                                 {"total", nullptr},
                                 {"percent", nullptr},
                                 {"submitted", sample.submitted},
                                 {"completed", sample.completed},
                                 {"zeroed", sample.zeroed},
                                 {"flushed", sample.flushed},
                                 {"verified", sample.verified},
                                 {"rate", whole(reading.rate_now)},
                                 {"average_rate", whole(reading.rate_average)},
                                 {"seconds", std::floor(sample.seconds * 1000) / 1000}};
  if (sample.total_known) json["total"] = sample.total;
  if (has_percent(reading)) json["percent"] = reading.percent;
  if (has_percent(reading)) json["percent_of"] = reading.of_input ? "compressed input" : "disk";
  if (reading.of_input) json["input"] = sample.input;
  if (reading.of_input) json["input_total"] = sample.input_total;
  if (reading.seconds_left) json["seconds_left"] = std::floor(*reading.seconds_left * 10) / 10;
  if (reading.stalled) json["stalled_seconds"] = std::floor(*reading.stalled * 10) / 10;
  if (reading.stalled) json["stalled_for"] = sample.waits_for_input ? "input" : "answer";
  return json;
}

std::string summary_of(const ProgressSample& end, bool verified) {
  const double seconds = std::max(end.seconds, 0.001);
  return fmt::format("{} in {}: {} written at {}, {} zero{}", human_size(end.total),
                     seconds < 10 ? fmt::format("{:.2f} s", seconds) : human_duration(seconds),
                     human_size(end.completed), human_rate(static_cast<double>(end.completed) / seconds),
                     human_size(end.zeroed), verified ? ", verified" : "");
}

}  // namespace disklathe::cli
