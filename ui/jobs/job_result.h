// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "core/job/outcome.h"

namespace disklathe::ui {

// How a job ended. The states of a written target are exactly four; what reads only has `read`.
struct JobResult {
  enum class State : uint8_t { verified, written, differs, failed, read };
  State state = State::failed;
  std::optional<Error> error;           // failed and differs
  std::optional<job::Outcome> outcome;  // the others
  uint64_t bytes = 0;                   // of the disk
  // Of what failed: how far it was, and what became of the target.
  std::optional<double> reached;  // share of the phase; nothing: not known
  bool flushed = false;           // all of it was on the medium; it was being read back
  bool touched = false;           // a device may hold a part of the new
  bool kept = false;              // a file of the target's name is there, as it was
  // What stayed behind, in words: "The partition table is read anew when it is plugged in again."
  QStringList notes;

  bool good() const { return state == State::verified || state == State::written || state == State::read; }
  bool found_difference() const {  // a comparison that did what it was to do
    const auto* compared = outcome ? std::get_if<job::Compared>(&*outcome) : nullptr;
    return compared && compared->differs_at;
  }
  bool stopped() const { return error && error->kind == ErrorKind::stopped; }
};

}  // namespace disklathe::ui
