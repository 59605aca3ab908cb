// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <chrono>

#include "app/cli/command_line.h"
#include "app/cli/device_conversion.h"
#include "app/cli/exit_codes.h"
#include "app/cli/job.h"
#include "app/cli/notes.h"
#include "app/cli/open_files.h"
#include "app/cli/progress_line.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"
#include "core/job/kept.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe jobs [list | attach ID | stop ID]

Your conversions that were started with --keep-running and go on, or wait with
their result until somebody takes it.

  list               (default) what they are and how far
  attach ID          watch it to its end; only then its target gets its name
  stop ID            end it; of a new target nothing is left
      --backing POLICY       of attach: see convert
  -p, --progress[=json]  of attach: show how far it is; json: one object a line
)";

// What a job says of itself at once.
struct Look {
  std::optional<job::Attached> job;
  job::Reading reading;
  bool ended = false;
};

Look first_look(job::Client& client) {
  using Clock = std::chrono::steady_clock;
  Look look;
  bool read = false;
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(500);
  while (!(look.job && (read || look.ended)) && Clock::now() < until) {
    while (auto event = client.take()) {
      if (auto* attached = std::get_if<job::Attached>(&*event)) look.job = std::move(*attached);
      if (std::holds_alternative<job::Client::Ended>(*event)) look.ended = true;
      if (const auto* reading = std::get_if<job::Reading>(&*event)) {
        look.reading = *reading;
        read = true;
      }
    }
    pollfd watched{.fd = client.descriptor(), .events = POLLIN, .revents = 0};
    poll(&watched, 1, 20);
  }
  return look;
}

std::string name_in(const job::Spec& spec, job::Role role) {
  const job::GivenFile* file = spec.file(role);
  return file ? file->name : std::string("-");
}

std::string words_of(const Look& look) {
  if (look.ended) return "done, to be attached";
  Progress progress;
  job::apply(look.reading, progress);
  ProgressMeter meter;
  return text_of(meter.read(look_at(progress, 0)), "verifying", 60);
}

int list() {
  for (const std::string& id : job::kept_jobs()) {
    auto client = job::attach(id);
    if (!client) continue;
    const Look look = first_look(**client);
    const std::string line = look.job ? fmt::format("{}  {}  {} -> {}  {}", id, name_of(look.job->spec.kind()),
                                                    name_in(look.job->spec, job::Role::source),
                                                    name_in(look.job->spec, job::Role::target), words_of(look))
                                      : fmt::format("{}  another program watches it", id);
    fmt::print("{}\n", printable(line));
  }
  return exit_ok;
}

int stop(const std::string& id) {
  auto client = job::attach(id);
  if (!client) return report(client.error());
  if (auto told = (*client)->stop(); !told) return report(told.error());
  Job job;
  std::optional<job::Spec> spec;
  const job::Callbacks callbacks{.attached = [&spec](const job::Attached& attached) { spec = attached.spec; }};
  if (auto outcome = job::run(**client, callbacks, job.progress, job.stop);
      !outcome && outcome.error().kind != ErrorKind::stopped && outcome.error().kind != ErrorKind::crashed)
    return report(outcome.error());
  if (spec) job::discard_attached(*spec, (*client)->take_attached());
  job::forget_kept_job(id);
  return exit_ok;
}

// Of a device: it can be looked at only when the worker has let it go.
Result<std::optional<DeviceReport>> look_at_device(const job::Spec& spec, const std::vector<Descriptor>& written,
                                                   Job& job) {
  const auto* work = std::get_if<job::Convert>(&spec.work);
  const job::GivenFile* file = spec.file(job::Role::target);
  if (!work || !file || file->device.empty()) return std::nullopt;
  const auto target = device_written_by(*file);
  if (!target) return std::unexpected(target.error());
  std::unique_ptr<FileDevice> device;
  if (!written.empty()) {
    auto opened =
        FileDevice::adopt(fcntl(written.front().get(), F_DUPFD_CLOEXEC, 0), file->name, true, CacheMode::writeback);
    if (!opened) return failure(opened);
    device = std::move(*opened);
  }
  auto report = finish_device(*target, device.get(), grade_of(*work), job.progress.total, job);
  if (!report) return failure(report);
  return std::move(*report);
}

// A worker whose result was taken ends.
void wait_for_end(job::Client& client) {
  pollfd watched{.fd = client.descriptor(), .events = POLLRDHUP, .revents = 0};
  poll(&watched, 1, 1000);
}

Result<void> watch(const std::string& id, job::Client& client, const OpenPolicy& policy, Job& job,
                   std::optional<DeviceReport>& report) {
  std::optional<job::Spec> spec;
  const job::Callbacks callbacks{
      .note = print_note,
      .attached = [&spec](const job::Attached& attached) { spec = attached.spec; },
      .open = [&policy](const job::Question& question) -> Result<std::unique_ptr<FileDevice>> {
        if (auto may = may_open(policy, question.image, question.reference, question.path); !may) return failure(may);
        return open_for_reading(question.path, policy);
      }};
  auto outcome = job::run(client, callbacks, job.progress, job.stop);
  const std::vector<Descriptor> written = client.take_attached();
  if (!outcome) return failure(outcome);
  if (!spec) return failure(ErrorKind::invalid, "attach", "the job does not say what it is");
  if (auto committed = job::commit_attached(*spec, written); !committed) return committed;
  [[maybe_unused]] const auto told = client.taken();  // it ends by itself some day when this is lost
  job::forget_kept_job(id);
  wait_for_end(client);
  auto looked = look_at_device(*spec, written, job);
  if (!looked) return failure(looked);
  report = std::move(*looked);
  job.progress.phase = Phase::done;
  return {};
}

int attach(const std::string& id, const OpenPolicy& policy, const std::string& progress) {
  auto client = job::attach(id);
  if (!client) return report(client.error());
  std::optional<DeviceReport> written;
  const JobView view{.style = progress_style_of(progress, false),
                     .result = [&] { return written ? json_of(*written) : nlohmann::ordered_json(); }};
  Job job;
  const JobOutcome outcome =
      run_job(view, job, [&](Job& running) { return watch(id, **client, policy, running, written); });
  if (!outcome.result) return report(view, outcome, exit_code_of(outcome.result.error().kind));
  if (written) say(*written, view.style == ProgressStyle::json);
  return exit_ok;
}

}  // namespace

int run_jobs(Arguments arguments) {
  std::vector<std::string> words;
  std::string progress, backing;
  OpenPolicy policy;
  CommandLine line("jobs", help);
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.optional_choice("-p,--progress", progress, {"line", "json"});
  line.words(words, 0, 2, "list, attach ID or stop ID");
  if (const auto code = line.parse(arguments)) return *code;
  policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  if (words.empty() || (words.size() == 1 && words[0] == "list")) return list();
  if (words.size() == 2 && words[0] == "attach") return attach(words[1], policy, progress);
  if (words.size() == 2 && words[0] == "stop") return stop(words[1]);
  print_message("jobs takes list, attach ID or stop ID");
  return exit_usage;
}

}  // namespace disklathe::cli
