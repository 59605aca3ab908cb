// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/conversion.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "app/cli/conversion_source.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/target.h"
#include "core/engine/compare.h"
#include "core/engine/copy.h"
#include "core/engine/verify.h"

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

// The target as somebody else would find it: from the medium where that can be had, else through the page cache. What
// it names (its backing and data file) was named on the command line.
Result<std::unique_ptr<Image>> reopen(const Conversion& conversion, Target& target) {
  OpenPolicy policy = conversion.policy;
  policy.named.push_back(target.path);
  FileOpener opener = make_opener(policy);
  opener.allow = [](const std::string&, const Reference&, const std::string&) { return Result<void>(); };
  const auto open_named = opener.open;
  opener.open = [&, open_named](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
    FileDevice* written = path == target.path                       ? target.file()
                          : target.data && path == target.data_path ? &target.data->device()
                                                                    : nullptr;
    if (!written) return open_named(path);
    written->drop_cache();
    // A fresh target has no name of its own yet; its descriptor leads to it all the same.
    const int fd = ::open(fmt::format("/proc/self/fd/{}", written->descriptor()).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failure(os_failure(errno, "open", path));
    return FileDevice::adopt(fd, path, false, CacheMode::none);
  };
  return Image::open({.path = target.path, .format = std::string(conversion.format->name), .file_holes = true}, opener);
}

Result<void> verify(const Conversion& conversion, ConversionSource& source, const PieceDigests& digests, Target& target,
                    Job& job) {
  auto written = reopen(conversion, target);
  if (!written) return failure(written);
  std::optional<Range> differs;
  std::string where;
  if (source.image) {
    auto difference = compare(*source.image, **written, {.limit = source.image->size()}, job.progress, job.stop);
    if (!difference) return failure(difference);
    if (*difference) differs = Range{(*difference)->offset, 1};
    if (differs) where = fmt::format("first at byte {} ({})", differs->at, human_size(differs->at));
  } else {
    auto difference = verify(**written, digests, job.progress, job.stop);
    if (!difference) return failure(difference);
    differs = *difference;
    if (differs)
      where =
          fmt::format("first between the bytes {} and {} ({})", differs->at, differs->end(), human_size(differs->at));
  }
  if (!differs) return {};
  return failure(Error{.kind = ErrorKind::differs,
                       .operation = "verify",
                       .subject = conversion.target_path,
                       .offset = differs->at,
                       .cause = fmt::format("what was read back is not what was written, {}. Do not use it: its medium "
                                            "or this computer's memory may be failing",
                                            where)});
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

void warn_of_garbage(const stream::Source& source) {
  if (const auto at = source.garbage_at())
    print_warning(fmt::format("'{}': what follows the compressed data, from byte {} on, was left out: it is no {} data",
                              source.name(), *at, source.encoding()->description));
}

Result<DeviceTarget> choose_device_target(const Conversion& conversion, ConversionSource& source, Job& job) {
  auto head = source.head(partition_table_head);
  if (!head) return failure(head);
  return choose_for_conversion(conversion.target_path,
                               {.size = source.size(), .head = *head, .devices = source.devices()},
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

}  // namespace

Result<void> run_conversion(const Conversion& conversion, Job& job, std::optional<DeviceReport>& report) {
  auto opened = open_source(conversion, job);
  if (!opened) return failure(opened);
  ConversionSource& source = *opened;
  const bool durable = conversion.target_cache != CacheMode::unsafe;

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

  std::optional<uint64_t> disk_size;
  if (BlockDevice* present = target->present()) {
    disk_size = present->size();
  } else {
    auto size = size_for_target(conversion, source, job);
    if (!size) return failure(size);
    disk_size = *size;
  }

  FileDevice* data = target->data ? &target->data->device() : nullptr;
  const bool reads_zero = target->fresh || conversion.target_is_zero;
  const auto writer = conversion.format->create({.file = &target->medium(),
                                                 .data_file = data,
                                                 .size = disk_size.value_or(0),
                                                 .options = conversion.options.format,
                                                 .compress = conversion.compress,
                                                 .level = conversion.level,
                                                 .backing_file = conversion.options.backing_file,
                                                 .backing_format = conversion.options.backing_format,
                                                 .target_is_zero = reads_zero});
  if (!writer) return failed(writer.error());

  const bool split_chain =
      !conversion.options.backing_file.empty() && source.image && source.image->layers().size() > 1;
  PieceDigests digests;
  const CopyJob copying{.source = source.image.get(),
                        .stream = source.stream ? source.stream->source.get() : nullptr,
                        .disk_size = disk_size,
                        .digests = source.stream && conversion.verify ? &digests : nullptr,
                        .writer = writer->get(),
                        .target = {&target->medium(), data},
                        .target_is_zero = reads_zero,
                        .sparse_size = conversion.sparse_size,
                        .keep_holes = split_chain,
                        .durable = durable};
  if (auto copied = copy(copying, job.progress, job.stop); !copied) {
    if (target->present())
      print_warning(fmt::format("'{}' now holds a part of the image and a part of what was there", target->path));
    return failed(std::move(copied.error()));
  }
  if (auto same = source.unchanged(); !same) return same;
  if (source.stream) warn_of_garbage(*source.stream->source);
  // The block device's cache has seen nothing of what went past it.
  if (target->passthrough) target->existing->drop_cache();
  if (conversion.verify) {
    if (auto verified = verify(conversion, source, digests, *target, job); !verified)
      return failed(std::move(verified.error()));
    if (auto same = source.unchanged(); !same) return same;
  }
  if (job.stop.requested()) return failure(ErrorKind::stopped, "convert", {});
  job.progress.phase = Phase::flush;
  for (TargetFile* file : {target->data.get(), target->fresh.get()}) {
    if (!file) continue;
    if (auto named = file->commit(durable); !named) return failed(std::move(named.error()));
  }
  if (target->file()) {
    if (auto there = still_there(*target->file()); !there) return there;
  }
  if (device) {
    const DeviceGrade grade = !durable            ? DeviceGrade::handed_over
                              : conversion.verify ? DeviceGrade::read_back
                                                  : DeviceGrade::flushed;
    auto finished = finish_device(*device, target->device(), grade, job.progress.total);
    if (!finished) return failure(finished);
    report = std::move(*finished);
  }
  job.progress.phase = Phase::done;
  return {};
}

}  // namespace disklathe::cli
