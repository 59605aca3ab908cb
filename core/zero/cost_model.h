// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

#include "core/base/clock.h"
#include "core/zero/prices.h"

namespace disklathe {

// Decides how ranges become zero on one target: by its zero command, by writing, or (short ones) inside the data write
// around them. What a command is worth cannot be known beforehand, it is 1 to 100 times as fast as writing: so both are
// measured on the work itself. W: write rate, f: fixed time a small write. R: zero rate, t: fixed time a command.
// A hole shorter than h* = (t + f) / (1/W - 1/R) is written with the data round it; where R <= W all are.
//
// Commands are measured while nothing else is under way at the target ("alone"): how a device shares its time between a
// command and the writes beside it is its own affair, and no two do it alike. Writes are measured by what each added to
// the time the device was busy. Any thread; time is given by the caller, so that a test needs none.
class ZeroCostModel {
 public:
  using Time = Clock::Time;
  static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

  enum class Rule : uint8_t {
    by_price,
    sparse,  // commands make holes in a file, which are worth more than the time they take: short ones have a price
    commands_only,  // whatever they cost
    no_commands,
  };
  // one_command: bytes that the device takes in a command of its own; 0: any number. What is asked for beyond them the
  // kernel cuts, and a rest costs the device as much as a whole one.
  explicit ZeroCostModel(Rule rule = Rule::by_price, uint64_t one_command = 0)
      : rule_(rule), one_command_(one_command) {}

  // What to do with the first bytes of a range of `length` that must become zero.
  struct Step {
    bool command = false;  // else by writing
    bool alone = false;    // the command is to be measured
    uint64_t length = 0;
    friend bool operator==(const Step&, const Step&) = default;
  };
  Step next(uint64_t length, Time now);

  // Zeroes between data in shorter runs than this are to be written with it. Asked once a piece of data: now and then
  // the answer is another, to learn what is not known yet.
  uint64_t fold_below(Time now);

  // Whether to read before zeroes are written, as the target may be zero there already: where reading costs less than
  // what it has saved lately. Now and then yes, to learn. A yes is to be followed by looked().
  bool worth_a_look(Time now);

  // How long a command will take.
  Time expected(uint64_t length) const;

  void wrote(uint64_t length, Time begun, Time done);
  void commanded(const Step& step, Time begun, Time done);
  void looked(uint64_t length, bool zero, Time begun, Time done);
  // The target has no command left that it takes.
  void refused();

  // h* as it is known now.
  uint64_t worth_a_command() const;

 private:
  bool wins(uint64_t length) const { return command_.of(length) < write_.of(length); }
  bool may_win(uint64_t length) const;
  bool looking_saves() const;
  bool due(uint64_t length, Time now) const;
  uint64_t most_at_once() const;
  uint64_t in_whole_commands(uint64_t length) const;
  uint64_t worth() const;
  double held(Time begun, Time done);

  mutable std::mutex mutex_;
  Rule rule_;
  const uint64_t one_command_;
  WritePrice write_;
  CommandPrice command_;
  Time last_done_{0};      // of any request
  Time last_measured_{0};  // command
  Time last_large_{0};     // write
  double lost_ = 0;        // seconds that measured commands took which writing would have beaten
  bool write_tried_ = false;
  unsigned folds_granted_ = 0, asked_ = 0;
  // Of looks before writing; older ones fade.
  double look_bytes_ = 0, look_seconds_ = 0;
  double zero_share_ = 0;  // how much of what was looked at was zero
  Time last_look_{0};
  bool look_tried_ = false;
};

}  // namespace disklathe
