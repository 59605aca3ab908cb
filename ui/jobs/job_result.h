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
  // What stayed behind, in words: "The partition table is read anew when it is plugged in again."
  QStringList notes;

  bool good() const { return state == State::verified || state == State::written || state == State::read; }
  bool stopped() const { return error && error->kind == ErrorKind::stopped; }
};

}  // namespace disklathe::ui
