// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/cost_model.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr uint64_t mebi = 1 << 20;
constexpr uint64_t first_command = mebi;  // then 4, 16, 64 times as much
constexpr uint64_t longest_command = 1 << 30;
constexpr double command_seconds = 0.05;    // two of them in flight: a stop is heard, and writes get through
constexpr uint64_t write_step = 8 * mebi;   // then it is asked again
constexpr uint64_t first_write = 2 * mebi;  // to learn the rate where there is no data to write
constexpr double most_lost = 0.25;          // seconds spent on finding out that commands are no good
constexpr Seconds measure_again{1};
constexpr double losing_share = 100;       // a losing command is tried again after 100 times its cost
constexpr uint64_t short_hole = 64 << 10;  // while no command is measured
constexpr uint64_t shortest_try = 16 << 10;
constexpr unsigned pieces_folded = 2;  // whole, to learn the rate
constexpr double look_fading = 0.75;
constexpr unsigned patience = 4;  // pieces without a hole as long as that, then one with shorter ones

}  // namespace

// What a request added to the time the device was busy: from the end of the one before it, or from its own start where
// the device was idle then. Right for a device that does one thing after the other, and in sum for all.
double ZeroCostModel::held(Time begun, Time done) {
  const Time from = std::max(begun, last_done_);
  last_done_ = std::max(last_done_, done);
  return Seconds(std::max(done - from, Time{0})).count();
}

void ZeroCostModel::wrote(uint64_t length, Time begun, Time done) {
  const std::scoped_lock lock(mutex_);
  write_.record(length, held(begun, done));
  if (length >= WritePrice::large) last_large_ = done;
}

void ZeroCostModel::commanded(const Step& step, Time begun, Time done) {
  const std::scoped_lock lock(mutex_);
  const double seconds = held(begun, done);
  if (!step.alone) return;
  last_measured_ = done;
  command_.record(step.length, seconds);
  if (seconds > write_.of(step.length)) lost_ += seconds;
}

void ZeroCostModel::looked(uint64_t length, bool zero, Time begun, Time done) {
  const std::scoped_lock lock(mutex_);
  look_bytes_ = look_bytes_ * look_fading + static_cast<double>(length);
  look_seconds_ = look_seconds_ * look_fading + held(begun, done);
  zero_share_ += ((zero ? 1 : 0) - zero_share_) * (1 - look_fading);
}

bool ZeroCostModel::worth_a_look(Time now) {
  const std::scoped_lock lock(mutex_);
  if (rule_ == Rule::sparse || rule_ == Rule::commands_only) return false;
  // The first is taken on trust; one that did not save is repeated after 100 times its cost.
  const Seconds wait(look_bytes_ > 0 ? losing_share * look_seconds_ / look_bytes_ * mebi : 0);
  const bool due = !look_tried_ || (look_bytes_ > 0 && now - last_look_ >= wait);
  if (!due && !looking_saves()) return false;
  look_tried_ = true;
  last_look_ = now;
  return true;
}

void ZeroCostModel::refused() {
  const std::scoped_lock lock(mutex_);
  rule_ = Rule::no_commands;
}

ZeroCostModel::Time ZeroCostModel::expected(uint64_t length) const {
  const std::scoped_lock lock(mutex_);
  if (!command_.known()) return std::chrono::duration_cast<Time>(measure_again);
  return std::chrono::duration_cast<Time>(Seconds(command_.of(length)));
}

// A length about which nothing is known but bounds, of which the better one would beat writing; or which lost once, as
// on a busy machine the first command of a good device may.
bool ZeroCostModel::may_win(uint64_t length) const {
  const unsigned samples = command_.samples(length);
  const bool open = samples == 0 ? command_.at_least(length) < write_.of(length) : samples == 1;
  return open && lost_ + command_.of(length) <= most_lost;
}

bool ZeroCostModel::looking_saves() const {
  return look_bytes_ > 0 && look_seconds_ / look_bytes_ < zero_share_ * write_.per_byte();
}

// Commands lose, but that was some time ago.
bool ZeroCostModel::due(uint64_t length, Time now) const {
  const Seconds wait = std::max(measure_again, Seconds(losing_share * command_.of(length)));
  return now - last_measured_ >= wait;
}

// Four times what is known, as long as it takes no longer than it should.
uint64_t ZeroCostModel::most_at_once() const {
  uint64_t most = std::min(std::max(command_.longest() * 4, first_command), longest_command);
  while (most > first_command && command_.of(most) > command_seconds) most /= 2;
  return in_whole_commands(most);
}

uint64_t ZeroCostModel::in_whole_commands(uint64_t length) const {
  return one_command_ > 0 && length > one_command_ ? round_down(length, one_command_) : length;
}

ZeroCostModel::Step ZeroCostModel::next(uint64_t length, Time now) {
  const std::scoped_lock lock(mutex_);
  const Step by_writing{.length = std::min(length, write_step)};
  if (rule_ == Rule::no_commands) return by_writing;
  if (!command_.known())
    return {.command = true, .alone = true, .length = std::min(length, in_whole_commands(first_command))};
  if (!write_.known() && !write_tried_ && rule_ == Rule::by_price) {
    write_tried_ = true;
    return {.length = std::min(length, first_write)};
  }
  const uint64_t part = std::min(length, most_at_once());
  const bool wanted = rule_ == Rule::commands_only || (rule_ == Rule::sparse && length >= short_hole);
  if (wanted || wins(part) || may_win(part)) {
    const bool measure = command_.samples(part) < 2 || now - last_measured_ >= measure_again;
    return {.command = true, .alone = measure, .length = part};
  }
  const uint64_t again = std::min(length, in_whole_commands(first_command));
  if (due(again, now)) return {.command = true, .alone = true, .length = again};
  return by_writing;
}

uint64_t ZeroCostModel::worth() const {
  const double write = write_.per_byte(), small = write_.fixed();
  if (command_.fitted()) {
    const double gain = write - command_.per_byte();
    return gain > 0 ? static_cast<uint64_t>(std::min((command_.fixed() + small) / gain, 1e18)) : never;
  }
  // One length is known. Where it wins, shorter ones may as well: a sixteenth of it is worth a try, within reason.
  const uint64_t length = command_.longest();
  if (!wins(length)) return never;
  const double cautious = (command_.of(1) + small) / write;
  return std::min(static_cast<uint64_t>(cautious), std::max(length / 16, shortest_try));
}

uint64_t ZeroCostModel::worth_a_command() const {
  const std::scoped_lock lock(mutex_);
  return rule_ != Rule::no_commands && command_.known() ? worth() : never;
}

uint64_t ZeroCostModel::fold_below(Time now) {
  const std::scoped_lock lock(mutex_);
  if (rule_ == Rule::no_commands) return !look_tried_ || looking_saves() ? short_hole : never;
  if (rule_ == Rule::sparse) return command_.known() && write_.known() ? std::min(worth(), short_hole) : short_hole;
  if (!write_.known() && folds_granted_ < pieces_folded) {
    ++folds_granted_;
    return never;
  }
  if (!command_.known())
    return ++asked_ % patience == 0 ? short_hole >> (2 * std::min(asked_ / patience, 4U)) : short_hole;
  const uint64_t length = worth();
  // A target that is found to be zero mostly (thin, and new) is not to be filled: longer holes are looked at.
  if (length > short_hole && (looking_saves() || (length == never && !look_tried_))) return short_hole;
  if (length == never) return due(first_command, now) ? short_hole : never;
  if (write_.known() && now - last_large_ >= measure_again) {
    last_large_ = now;
    return never;
  }
  return length;
}

}  // namespace disklathe
