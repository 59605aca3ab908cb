// SPDX-License-Identifier: GPL-3.0-or-later
//
// convert --worker: this process opens what the person may open, and asks before it opens what an image names; the
// worker reads and writes.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <span>

#include "app/cli/conversion_source.h"
#include "app/cli/helper_worker.h"
#include "app/cli/notes.h"
#include "app/cli/sentences.h"
#include "app/cli/stream_file.h"
#include "core/format/reference_path.h"
#include "core/job/kept.h"

namespace disklathe::cli {
namespace {

class WorkerSource final : public ConversionSource {
 public:
  WorkerSource(const Conversion& conversion, Job& job) : conversion_(conversion), job_(job) {}

  Result<void> open() {
    const std::string& path = conversion_.source.path;
    if (names_pipe(path)) {
      pipe_ = path == "-" ? Descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
                          : Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      if (!pipe_.open()) return failure(os_failure(errno, "open", path));
      return {};
    }
    if (needs_helper(path, false)) {
      auto identity = identity_of(path);
      if (!identity) return failure(identity);
      if (needs_helper(conversion_.target_path, true))
        return failure(Error{.kind = ErrorKind::permission,
                             .operation = "open",
                             .subject = path,
                             .cause = "only one device at a time is opened for you; run this as root"});
      granted_ = std::move(*identity);
    } else {
      auto file = open_for_reading(path, conversion_.policy);
      if (!file) return failure(file);
      opened_.push_back(std::move(*file));
    }
    // What a device is asked for depends on what will be on it, and that has to be known before anybody is asked.
    return conversion_.device ? inspect() : Result<void>();
  }

  std::optional<uint64_t> size() const override {
    if (!inspection_) return std::nullopt;
    return inspection_->stream ? inspection_->stream->virtual_size : inspection_->layers.front().virtual_size;
  }

  std::vector<SourceFile> files() const override {
    std::vector<SourceFile> files;
    files.reserve(opened_.size());
    for (const auto& file : opened_)
      files.push_back({.file = file.get(), .backing = granted_ || file != opened_.front()});
    return files;
  }

  std::vector<dev_t> devices() const override {
    std::vector<dev_t> devices = block_devices_of(files());
    if (granted_) devices.push_back(granted_->number);
    return devices;
  }

  Result<PartitionTable> partitions() override {
    return inspection_ ? inspection_->partitions.value_or(PartitionTable{}) : PartitionTable{};
  }

  Result<std::optional<job::Converted>> convert_into(const job::Convert& asked, Target& target, Job&) override {
    job::Handover files;
    if (auto added = add_source(files); !added) return failure(added);
    const CacheMode cache = conversion_.target_cache;
    Result<void> added;
    if (target.granted)
      files.add_granted(granted_file(job::Role::target, target.path, *target.granted, cache));
    else
      added = target.fresh ? files.add(job::Role::target, *target.fresh, cache)
                           : files.add(job::Role::target, target.device(), true, cache);
    if (added && target.data) added = files.add(job::Role::data, *target.data, cache);
    if (!added) return failure(added);
    auto outcome = run(asked, files, &target);
    if (!outcome) return failure(outcome);
    if (!*outcome) return std::nullopt;
    return std::get<job::Converted>(**outcome);
  }

 private:
  Result<void> inspect() {
    job::Handover files;
    if (auto added = add_source(files); !added) return added;
    auto outcome = run(job::Inspect{.format = conversion_.source.format,
                                    .snapshot = conversion_.source.snapshot,
                                    .chain = true,
                                    .most_window = conversion_.most_window},
                       files, nullptr);
    if (!outcome) return failure(outcome);
    inspection_ = std::get<job::Inspection>(std::move(**outcome));
    return {};
  }

  Result<void> add_source(job::Handover& files) {
    if (granted_) {
      files.add_granted(granted_file(job::Role::source, conversion_.source.path, *granted_, CacheMode::automatic));
      return {};
    }
    if (!pipe_.open()) return files.add(job::Role::source, *opened_.front(), false, conversion_.policy.cache);
    files.add_pipe(pipe_.get(), conversion_.source.path == "-" ? "standard input" : conversion_.source.path);
    return {};
  }

  Result<std::optional<job::Outcome>> run(job::Work work, const job::Handover& files, Target* target) {
    const job::Spec spec{.files = files.files(), .work = std::move(work)};
    // Of two jobs on one source each would warn.
    const bool first = target == nullptr || !inspection_;
    const job::Callbacks callbacks{
        .note =
            [first](const job::Note& note) {
              if (first || note.kind == job::Note::Kind::trailing_garbage || note.kind == job::Note::Kind::target_mixed)
                print_note(note);
            },
        .open = [&](const job::Question& question) { return open_named(question, target); }};
    const auto done = [](Result<job::Outcome> outcome) -> Result<std::optional<job::Outcome>> {
      if (!outcome) return failure(outcome);
      return std::move(*outcome);
    };
    std::optional<HelperRequest> request;
    if (target && target->granted)
      request = {.action = "convert", .path = target->path, .device = *target->granted};
    else if (granted_)
      request = {.action = target ? "convert.read" : "inspect", .path = conversion_.source.path, .device = *granted_};
    const bool keeps = target && conversion_.keep_running;
    if (request && !keeps) return done(run_by_helper(*request, spec, files.descriptors(), callbacks, job_));
    if (request) return run_kept_by_helper(*request, spec, files.descriptors(), callbacks, *target);
    auto client = job::Client::start(spec, files.descriptors());
    if (!client) return failure(client);
    if (keeps) return run_kept(**client, callbacks, *target);
    return done(job::run(**client, callbacks, job_.progress, job_.stop));
  }

  Result<std::optional<job::Outcome>> run_kept_by_helper(const HelperRequest& request, const job::Spec& spec,
                                                         std::span<const int> descriptors,
                                                         const job::Callbacks& callbacks, Target& target) {
    auto helper = HelperClient::ask(request);
    if (!helper) return failure(helper);
    if (auto begun = helper->client().begin(spec, descriptors); !begun && begun.error().kind != ErrorKind::vanished)
      return failure(begun);
    job_.asking = true;
    auto outcome = run_kept(helper->client(), callbacks, target);
    const bool unanswered = job_.asking.exchange(false);
    if (outcome || !unanswered || outcome.error().kind == ErrorKind::stopped) return outcome;
    return failure(helper->in_words(std::move(outcome.error())));
  }

  // Until it has opened what it needs; then it is left alone, and there is no outcome yet. It is kept from its first
  // moment on: whenever this process ends, there is a job to attach to.
  Result<std::optional<job::Outcome>> run_kept(job::Client& client, job::Callbacks callbacks, Target& target) {
    const auto place = job::make_kept_place();
    if (!place) return std::unexpected(place.error());
    Result<void> kept;
    callbacks.hello = [&](const job::Hello&) {
      job_.asking = false;
      kept = client.keep(place->listening.get());
    };
    while (job_.progress.phase == Phase::prepare && kept) {
      while (auto event = client.take()) {
        auto result = job::handle(client, *event, callbacks, job_.progress);
        if (!result) continue;
        [[maybe_unused]] const auto told = client.taken();
        job::forget_kept_job(place->id);
        return std::move(*result);
      }
      if (job_.stop.requested()) {
        [[maybe_unused]] const auto told = client.stop();
        job::forget_kept_job(place->id);
        return failure(ErrorKind::stopped, "convert", {});
      }
      pollfd watched[] = {{.fd = client.descriptor(), .events = POLLIN, .revents = 0},
                          {.fd = job_.stop.descriptor(), .events = POLLIN, .revents = 0}};
      poll(watched, 2, -1);
    }
    if (!kept) return failure(kept);
    // What is not complete yet is the job's.
    for (TargetFile* file : {target.fresh.get(), target.data.get()})
      if (file) file->hand_on();
    print_message(fmt::format("goes on by itself: disklathe jobs attach {}", place->id));
    return std::nullopt;
  }

  // What the source names is opened by policy, and asked for once; what the target stands on was named on the command
  // line.
  Result<std::unique_ptr<FileDevice>> open_named(const job::Question& question, Target* target) {
    const std::string& backing = conversion_.options.backing_file;
    const bool of_target = target && question.image == target->path && !backing.empty() &&
                           question.path == resolve_reference(target->path, backing);
    if (!of_target && !allowed_.contains(question.path)) {
      if (auto may = may_open(conversion_.policy, question.image, question.reference, question.path); !may)
        return failure(may);
      allowed_.insert(question.path);
    }
    auto file = open_for_reading(question.path, conversion_.policy);
    if (!file) return file;
    if (target && !of_target && target->file() && (*file)->same_file_as(*target->file()))
      return failure(Error{.kind = ErrorKind::invalid,
                           .operation = "write",
                           .subject = target->path,
                           .cause = "it is in the source's backing chain; writing to it would destroy the source"});
    if (target) return file;
    // What the inspection finds is a part of the source: kept, to be held against the target.
    auto again = open_for_reading(question.path, conversion_.policy);
    if (again) opened_.push_back(std::move(*again));
    return file;
  }

  const Conversion& conversion_;
  Job& job_;
  Descriptor pipe_;
  std::vector<std::unique_ptr<FileDevice>> opened_;  // the image first
  std::optional<Identity> granted_;                  // instead: a device that only the helper may open
  std::set<std::string> allowed_;                    // of what it names
  std::optional<job::Inspection> inspection_;
};

}  // namespace

Result<std::unique_ptr<ConversionSource>> open_source_for_worker(const Conversion& conversion, Job& job) {
  auto source = std::make_unique<WorkerSource>(conversion, job);
  if (auto opened = source->open(); !opened) return failure(opened);
  return source;
}

}  // namespace disklathe::cli
