// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/job.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/exit_codes.h"
#include "app/cli/progress_line.h"
#include "app/cli/sentences.h"
#include "app/cli/signals.h"

namespace disklathe::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A person waits no longer than 0.3 s for Ctrl-C; the rest is for the way out.
constexpr std::chrono::milliseconds patience{250};
constexpr int redraw_milliseconds = 200;
constexpr double json_seconds = 0.5;

size_t terminal_width() {
  winsize window{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1u : 79;
}

// Progress that cannot be shown stops nothing; main() says in the end that output is missing.
void show(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

class Display {
 public:
  Display(const JobView& view, const Job& job)
      : view_(view), job_(job), terminal_(view.style == ProgressStyle::line && isatty(STDOUT_FILENO)) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool live() const { return terminal_ || view_.style == ProgressStyle::json; }

  void draw() {
    const ProgressReading reading = meter_.read(look_at(job_.progress, seconds()));
    if (terminal_) {
      put(text_of(reading, view_.verify_word, terminal_width()));
    } else if (view_.style == ProgressStyle::json &&
               (reading.sample.phase != last_phase_ || seconds() >= last_json_ + json_seconds)) {
      print_json(reading);
    }
  }

  void end(bool success) {
    const ProgressReading reading = meter_.read(look_at(job_.progress, seconds()));
    if (view_.style == ProgressStyle::json && success) print_json(reading, view_.result());
    if (terminal_) {
      put("");
      show("\r");
    }
    if (view_.style == ProgressStyle::line && success && view_.summary)
      show(summary_of(reading.sample, view_.verifies) + "\n");
  }

  void tell() { print_message(text_of(meter_.read(look_at(job_.progress, seconds())), view_.verify_word, 200)); }

 private:
  // Overwrites what was there before; a carriage return is the only control character used.
  void put(const std::string& text) {
    show(fmt::format("\r{:<{}}", text, drawn_));
    drawn_ = text.size();
  }

  void print_json(const ProgressReading& reading, nlohmann::ordered_json result = {}) {
    nlohmann::ordered_json json = json_of(reading);
    if (!result.is_null()) json["result"] = std::move(result);
    show(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    last_json_ = seconds();
    last_phase_ = reading.sample.phase;
  }

  const JobView& view_;
  const Job& job_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  ProgressMeter meter_;
  size_t drawn_ = 0;
  double last_json_ = -json_seconds;
  Phase last_phase_ = Phase::prepare;
};

[[noreturn]] void leave_at_once(Job& job, int signal) {
  for (const auto& target : job.targets)
    if (TargetFile* file = target.load()) file->abandon();
  static constexpr std::string_view text = "\ndisklathe: stopped\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, text.data(), text.size());
  _exit(exit_signal + signal);
}

}  // namespace

ProgressStyle progress_style_of(std::string_view name, bool quiet) {
  if (name == "json") return ProgressStyle::json;
  return name.empty() || quiet ? ProgressStyle::none : ProgressStyle::line;
}

JobOutcome run_job(const JobView& view, Job& job, const std::function<Result<void>(Job&)>& work) {
  SignalWatch signals;
  JobOutcome outcome;
  const int finished = eventfd(0, EFD_CLOEXEC);
  if (finished < 0) {
    outcome.result = failure(os_failure(errno, "start", ""));
    return outcome;
  }
  std::thread worker([&] {
    outcome.result = work(job);
    eventfd_write(finished, 1);
  });
  Display display(view, job);
  Clock::time_point deadline = Clock::time_point::max();
  while (true) {
    int wait = display.live() ? redraw_milliseconds : -1;
    if (outcome.signal) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) leave_at_once(job, outcome.signal);
      wait = static_cast<int>(left.count()) + 1;
    }
    pollfd watched[] = {{finished, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    poll(watched, std::size(watched), wait);
    // The signal first: what it ended besides (who asks for a password on this terminal) may have ended the work.
    while (const auto signal = signals.take()) {
      if (*signal == SIGUSR1) {
        display.tell();
      } else if (!outcome.signal) {
        outcome.signal = *signal;
        job.stop.request();
        deadline = Clock::now() + patience;
      }
    }
    if (watched[0].revents & POLLIN) break;
    if (display.live() && !outcome.signal && !job.asking) display.draw();
  }
  worker.join();
  close(finished);
  display.end(outcome.result.has_value());
  // A stop that came too late to stop anything is none.
  if (outcome.result) outcome.signal = 0;
  return outcome;
}

int report(const JobView& view, const JobOutcome& outcome, int code) {
  if (outcome.result) return exit_ok;
  const Error& error = outcome.result.error();
  if (outcome.signal) code = exit_signal + outcome.signal;
  if (view.style == ProgressStyle::json) {
    const nlohmann::ordered_json json = {
        {"phase", "failed"}, {"kind", name_of(error.kind)}, {"error", sentence(error)}, {"exit_code", code}};
    show(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  report(error);
  return code;
}

}  // namespace disklathe::cli
