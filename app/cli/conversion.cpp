// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/conversion.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "app/cli/conversion_source.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/target.h"

namespace disklathe::cli {
namespace {

Error about(Error error, const std::string& path) {
  if (error.subject.empty() && error.kind != ErrorKind::stopped) error.subject = path;
  return error;
}

// A target that was deleted, or whose folder was moved away, was written for nobody.
Result<void> still_there(const FileDevice& target) {
  struct stat written{}, named{};
  if (fstat(target.descriptor(), &written) != 0 || S_ISBLK(written.st_mode)) return {};
  const std::string path(target.name());
  if (stat(path.c_str(), &named) == 0 && named.st_dev == written.st_dev && named.st_ino == written.st_ino) return {};
  return failure(Error{.kind = ErrorKind::vanished,
                       .operation = "write",
                       .subject = path,
                       .cause = "it, or its folder, was deleted, moved or replaced while it was written"});
}

// Of a device that went away.
std::string how_far(const Progress& progress) {
  const auto percent = [&](uint64_t part) {
    const uint64_t total = progress.total;
    return total ? static_cast<double>(part) * 100 / static_cast<double>(total) : 0;
  };
  if (progress.phase == Phase::verify)
    return fmt::format("everything was written, {:.0f}% read back", percent(progress.verified));
  return fmt::format("{:.0f}% were written, what is on it is incomplete", percent(progress.position()));
}

Result<DeviceTarget> choose_device_target(const Conversion& conversion, ConversionSource& source, Job& job) {
  const auto partitions = source.partitions();
  if (!partitions) return std::unexpected(partitions.error());
  return choose_for_conversion(conversion.target_path,
                               {.size = source.size(), .table = *partitions, .devices = source.devices()},
                               conversion.device_options, job);
}

// Tells the job what to clear away for as long as it is there.
class Announced {
 public:
  Announced(Job& job, const Target& target) : job_(job) {
    job_.targets[0] = target.fresh.get();
    job_.targets[1] = target.data.get();
  }
  ~Announced() {
    for (auto& target : job_.targets) target = nullptr;
  }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

 private:
  Job& job_;
};

job::Convert work_of(const Conversion& conversion) {
  return {.source_format = conversion.source.format,
          .snapshot = conversion.source.snapshot,
          .format = std::string(conversion.format->name),
          .options = conversion.options.format,
          .compress = conversion.compress,
          .level = conversion.level,
          .backing_file = conversion.options.backing_file,
          .backing_format = conversion.options.backing_format,
          .existing = conversion.existing,
          .target_is_zero = conversion.target_is_zero,
          .sparse_size = conversion.sparse_size,
          .verify = conversion.verify,
          .durable = conversion.target_cache != CacheMode::unsafe,
          .size = conversion.size,
          .most_window = conversion.most_window};
}

}  // namespace

Result<void> run_conversion(const Conversion& conversion, Job& job, ConversionReport& report) {
  auto opened = conversion.worker ? open_source_for_worker(conversion, job) : open_source(conversion, job);
  if (!opened) return failure(opened);
  ConversionSource& source = **opened;
  const job::Convert work = work_of(conversion);

  if (auto backing = check_backing(conversion.options, conversion.target_path, false); !backing)
    return failure(backing);
  for (const dev_t device : source.devices()) {
    if (const std::string warning = writer_of_source(device); !warning.empty()) print_warning(warning);
  }
  std::optional<DeviceTarget> device;
  if (conversion.device) {
    auto chosen = choose_device_target(conversion, source, job);
    if (!chosen) return failure(chosen);
    device = std::move(*chosen);
  }
  const auto data_file = conversion.options.format.find("data_file");
  auto target = open_target({.path = conversion.target_path,
                             .existing = conversion.existing,
                             .device = device ? &device->chosen : nullptr,
                             .remote = conversion.remote,
                             .passthrough = conversion.target_passthrough,
                             .cache = conversion.target_cache,
                             .data_file = data_file == conversion.options.format.end() ? "" : data_file->second,
                             .size = source.size().value_or(0)},
                            source.files());
  if (!target) return failure(target);
  const Announced announced(job, *target);
  const auto failed = [&](Error error) {
    const uint64_t total = job.progress.total, done = job.progress.position();
    if (target->fresh && error.kind == ErrorKind::no_space && error.cause.empty() && total > done)
      error.cause = fmt::format("up to {} more are needed", human_size(total - done));
    if (device && error.kind == ErrorKind::vanished && error.subject == conversion.target_path)
      error.cause = how_far(job.progress);
    return failure(about(std::move(error), conversion.target_path));
  };

  auto converted = source.convert_into(work, *target, job);
  if (!converted) return failed(std::move(converted.error()));
  if (!*converted) {  // it goes on without this process
    const std::string note = device ? note_beforehand(*device, source.size().value_or(0)) : "";
    if (!note.empty()) print_warning(note);
    return {};
  }
  if (job.stop.requested()) return failure(ErrorKind::stopped, "convert", {});
  for (TargetFile* file : {target->data.get(), target->fresh.get()}) {
    if (!file) continue;
    if (auto named = file->commit(work.durable); !named) return failed(std::move(named.error()));
  }
  if (target->file()) {
    if (auto there = still_there(*target->file()); !there) return there;
  }
  if (target->remote && !work.durable)
    report.unflushed = "-t unsafe was given";
  else if (target->remote && !target->remote->has_flush())
    report.unflushed = "the server has no flush";
  if (device) {
    auto finished = finish_device(*device, target->existing.get(), grade_of(work), job.progress.total, job);
    if (!finished) return failure(finished);
    report.device = std::move(*finished);
  }
  job.progress.phase = Phase::done;
  return {};
}

}  // namespace disklathe::cli
