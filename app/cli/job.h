// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"
#include "core/device/target_file.h"
#include "core/engine/progress.h"
#include "core/io/stop.h"

namespace disklathe::cli {

// What the thread that works and the one that watches share.
struct Job {
  Progress progress;
  Stop stop;
  // A question is on the terminal: nothing is drawn.
  std::atomic<bool> asking{false};
  // Set by the work while they are there: what to clear away when the program must end with the work still stuck.
  std::array<std::atomic<TargetFile*>, 2> targets{};
};

enum class ProgressStyle : uint8_t {
  none,
  line,  // -p: one line, redrawn; where standard output is no terminal only the summary at the end
  json,  // --progress=json
};

// Of -p, --progress ("line") and --progress=json; none for an empty name. quiet: -q, which silences the line.
ProgressStyle progress_style_of(std::string_view name, bool quiet);

struct JobView {
  ProgressStyle style = ProgressStyle::none;
  std::string_view verify_word = "verifying";
  bool verifies = false;  // for the summary
  bool summary = true;
  // What --progress=json says in its last object besides; null: nothing.
  std::function<nlohmann::ordered_json()> result = [] { return nlohmann::ordered_json(); };
};

// Runs `work` on a thread of its own, draws its progress on standard output, and stops it on SIGINT, SIGTERM and
// SIGHUP: a work that does not come back in time is left behind and the program ends there, with 128 + the signal.
// SIGUSR1 asks for a line about where it is, as with qemu-img. Returns what the work did; when a signal stopped it,
// `signal` is which.
struct JobOutcome {
  Result<void> result;
  int signal = 0;
};
JobOutcome run_job(const JobView& view, Job& job, const std::function<Result<void>(Job&)>& work);

// Says what went wrong, on stderr and for --progress=json also as a last object; returns what to exit with, where
// `code` is the exit code of an error that no signal caused.
int report(const JobView& view, const JobOutcome& outcome, int code);

}  // namespace disklathe::cli
